"""Nominal peaks of accelerators by their makers, for the warning that a run exceeded them."""

from collections.abc import Mapping
from typing import Final

from kernels.catalog import Catalog
from kernels.records import Precision, Run, Spec

_QUANTITIES: Final[Mapping[Precision, tuple[str, ...]]] = {
    Precision.FP32: ("peak_fp32",),
    Precision.TF32: ("peak_tf32",),
    **dict.fromkeys(
        (Precision.FP16, Precision.BF16, Precision.AMP_FP16, Precision.AMP_BF16),
        ("peak_tensor_fp16", "peak_fp16"),
    ),
}
"""Quantities of the peak of a precision, the first that is stated counts.

FP64 is missing: some cards have a second, faster unit for it, and the catalogue has the slower
one's.
"""


def stated(run: Run, catalogue: Catalog) -> Spec | None:
    """Returns the peak of one accelerator of a run in its precision; None if unknown."""
    found = (
        catalogue.spec(run.accelerator or "", name) for name in _QUANTITIES.get(run.precision, ())
    )
    return next((spec for spec in found if spec is not None and spec.value), None)


def nominal(run: Run, catalogue: Catalog) -> float | None:
    """Returns operations a second of all accelerators at their highest clock; None if unknown."""
    spec = stated(run, catalogue)
    return None if spec is None or spec.value is None else spec.value * (run.accelerators or 1)
