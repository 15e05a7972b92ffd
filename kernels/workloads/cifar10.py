"""Training on CIFAR-10 by the protocol of source `rtx2080ti-colab-tpu`, for CNN-10 and WRN-28-10.

Stated by it: SGD with momentum 0.9; a learning rate of 0.1 at batch size 128, in proportion to the
batch size; 100 epochs, with a tenth of the rate from half of them on and a tenth of that from 80 %
on; accuracy on the 10,000 test pictures. Left open by it, and decided here: no weight decay, no
dropout and no Nesterov momentum (it names none of them); no augmentation (it says of another
training that it was augmented, and not of these); pixels with mean 0 and deviation 1 by channel;
weights as the framework initialises them; the last, smaller batch of an epoch is left out. A run
may ask for augmentation, and then says so. Data: CIFAR-10 (A. Krizhevsky, Learning Multiple Layers
of Features from Tiny Images, 2009), 50,000 pictures to train and 10,000 to test.
"""

from collections.abc import Callable
from typing import Final

import torch
from torch import nn

from kernels.backends.pytorch import PyTorch
from kernels.records import DataKind
from kernels.workloads.operations import training_flop
from kernels.workloads.pictures import Classifier, Shape, fed

BASE_RATE: Final = 0.1
BASE_BATCH: Final = 128
MOMENTUM: Final = 0.9

SHAPE: Final = Shape(
    channels=3,
    pixels=32,
    classes=10,
    samples=50_000,
    mean=(0.49139968, 0.48215841, 0.44653091),
    deviation=(0.24703223, 0.24348513, 0.26158784),
)


def factor(epochs_done: int, epochs: int) -> float:
    """Returns the learning rate's factor: 1, from half of the epochs on 0.1, from 80 % on 0.01."""
    # In whole numbers: 0.8 x 10 in floating point could miss the eighth epoch.
    return 0.1 ** ((2 * epochs_done >= epochs) + (5 * epochs_done >= 4 * epochs))


def classifier(
    backend: PyTorch,
    build: Callable[[float], nn.Module],
    *,
    batch_size: int,
    epochs: int,
    data: DataKind,
    width: float,
    augmentation: str,
) -> Classifier:
    """Trains the network that `build` makes of a width by this protocol."""
    network = build(width)
    with torch.device("meta"):
        flop = training_flop(build(width), SHAPE.channels, SHAPE.pixels, SHAPE.pixels)
    feed = fed(backend, "cifar10", SHAPE, batch_size, data, augmentation=augmentation)
    placed = backend.place(network)
    rate = BASE_RATE * batch_size / BASE_BATCH
    optimiser = torch.optim.SGD(placed.parameters(), lr=rate, momentum=MOMENTUM)
    steps = feed.steps_per_epoch
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda taken: factor(min(taken // steps, epochs - 1), epochs)
    )
    settings = {
        "optimiser": "sgd_momentum",
        "momentum": str(MOMENTUM),
        "weight_decay": "0",
        "learning_rate": f"{rate:g}",
        "learning_rate_rule": "proportional_to_batch",
        "learning_rate_schedule": "tenth_at_two_epochs",
        "width": f"{width:g}",
        "augmentation": augmentation if data is DataKind.REAL else "none",
    }
    return Classifier(
        backend,
        placed,
        feed,
        optimiser=optimiser,
        schedule=schedule,
        cycle=steps * epochs,
        settings=settings,
        rates={"achieved_flop_per_s": flop},
    )
