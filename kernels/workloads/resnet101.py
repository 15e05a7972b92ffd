"""ResNet-101 at 224 pixels: the heavier of the two networks of source `catalyst-cost`, for any
folder of images.

Trained: the network of K. He et al. (arXiv 1512.03385), v1.5. With 1,000 classes
44,549,160 parameters. Target: an AUC of 0.9835 on the held-out images, one against the rest, each
class counting alike. The source prints that figure for paintings by artists, which nobody else has.
With `resnet101` and `resnet34` on one folder it is the protocol of the heavy and the light network.
Layers, data and method: in `resnet.py`. The source states neither optimiser, batch size, number of
epochs, precision nor augmentation, and whether its networks started from trained weights; here they
start from random ones.
"""

from functools import partial

from kernels.workloads.resnet import Bottleneck, ResNet

BLOCKS = (3, 4, 23, 3)

training = partial(ResNet, block=Bottleneck, blocks=BLOCKS)
"""Build model, data and optimiser on the backend's device."""
