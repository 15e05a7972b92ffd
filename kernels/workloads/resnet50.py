"""ResNet-50 v1.5 at 224 pixels: how many images a second, and how long to an accuracy where there
are images to learn from.

Trained: the network of K. He et al. (arXiv 1512.03385), v1.5. With 1,000 classes
25,557,032 parameters. Target: 74.9 % top-1 on the held-out images, as in MLPerf Training v0.5,
meant for ImageNet. The synthetic batch on the device, without augmentation, is the first protocol
of source `tpuv2-v100`. Layers, data and method: in `resnet.py`; on real data the method of arXiv
1706.02677.
"""

from functools import partial

from kernels.workloads.resnet import Bottleneck, ResNet

BLOCKS = (3, 4, 6, 3)

training = partial(ResNet, block=Bottleneck, blocks=BLOCKS)
"""Build model, data and optimiser on the backend's device."""
