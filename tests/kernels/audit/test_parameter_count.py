"""Parameters of networks, against counts that others publish."""

from kernels.audit.parameter_count import (
    convolution_parameters,
    dense_parameters,
    wide_resnet_parameters,
)


def test_vgg_like_blocks_come_to_what_they_are_printed_with() -> None:
    """Nine convolutions of 64, 128 and 256 channels have 1 920 000 parameters, and a layer for ten
    classes 2570.
    """
    blocks = [
        convolution_parameters(inputs, outputs, 3, 3)
        for inputs, outputs in ((3, 64), (64, 128), (128, 256))
    ]

    assert sum(blocks) == 1_920_000
    assert dense_parameters(256, 10) == 2570


def test_wide_resnets_have_the_parameters_of_their_paper() -> None:
    """The paper rounds its networks for CIFAR-10 to 36.5, 11.0 and 8.9 million: WRN-28-10, WRN-16-8
    and WRN-40-4.
    """
    counts = [
        wide_resnet_parameters(depth, widening, 10)
        for depth, widening in ((28, 10), (16, 8), (40, 4))
    ]

    assert [round(count / 1e6, 1) for count in counts] == [36.5, 11.0, 8.9]
