"""Parameters of networks, counted layer by layer from what a description prints: channels, kernels,
repetitions, depth and width.
"""


def convolution_parameters(inputs: float, outputs: float, kernel: float, layers: float) -> float:
    """Weights and biases of square convolutions in a row, the first from `inputs` to `outputs`
    channels, the others among `outputs`.
    """
    area = kernel * kernel
    return outputs * (area * inputs + 1.0) + (layers - 1.0) * outputs * (area * outputs + 1.0)


def dense_parameters(inputs: float, outputs: float) -> float:
    """Weights and biases of a fully connected layer."""
    return (inputs + 1.0) * outputs


def wide_resnet_parameters(depth: float, widening: float, classes: float) -> float:
    """Parameters of a Wide ResNet for 32 x 32 colour images (arXiv 1605.07146), as its authors
    build it.

    A convolution to 16 channels, then three groups of (depth - 4) / 6 blocks with 16, 32 and 64 x
    `widening` channels. A block has two 3 x 3 convolutions without biases, each behind a batch
    normalisation of two parameters a channel. A group's first block changes the number of channels,
    so a 1 x 1 convolution stands beside it. A normalisation and a fully connected layer end the
    network.
    """
    blocks = (depth - 4.0) / 6.0
    inputs = 16.0
    count = 9.0 * 3.0 * inputs
    for base in (16.0, 32.0, 64.0):
        wide = base * widening
        count += 2.0 * inputs + 9.0 * inputs * wide + inputs * wide
        count += 2.0 * wide + 9.0 * wide * wide
        count += (blocks - 1.0) * 2.0 * (2.0 * wide + 9.0 * wide * wide)
        inputs = wide
    return count + 2.0 * inputs + dense_parameters(inputs, classes)
