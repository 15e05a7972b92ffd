"""ResNet-50 v1.5 at 224 pixels: how many images a second, and how long to an accuracy where there
are images to learn from.

Trained: the network of K. He et al. (arXiv 1512.03385), v1.5; its layers are in `resnet.py`. With
1,000 classes 25,557,032 parameters. Target: 74.9 % top-1 on the held-out images, at the first
evaluation that reaches it, as in MLPerf Training v0.5; one evaluation after every epoch of 90. It
is meant for ImageNet; for another folder say which with --target. Data: by default one synthetic
batch on the device, as in the first protocol of source `tpuv2-v100` (synthetic data, no
augmentation); `--data synthetic_host` copies batches from the host's memory;
`--data real --data-dir DIR` reads a folder in ImageNet's layout. ImageNet is known by its numbers
of classes and images; any other folder is a workload of its own. An epoch of synthetic data counts
as ImageNet's 1,281,167 images, so that figures per epoch compare. Method: in `resnet.py`; on real
data that of arXiv 1706.02677.
"""

from functools import partial

from kernels.workloads.resnet import Bottleneck, ResNet

BLOCKS = (3, 4, 6, 3)

training = partial(ResNet, block=Bottleneck, blocks=BLOCKS)
"""Build model, data and optimiser on the backend's device."""
