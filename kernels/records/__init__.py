"""Frozen records with units in their names, checked when made.

Each field of a stored record has a description (`described`), from which `store/schema.py` makes
the Parquet columns and the list of columns in `runs/README.md`. Not measured is None, never zero; a
`Status` says why.
"""

from kernels.records.catalogue import Hardware, Spec, System, Workload
from kernels.records.fields import (
    LONGEST_ADDRESS,
    LONGEST_ID,
    LONGEST_TEXT,
    MOST_DECIMALS,
    NO_LICENCE,
    check_address,
    check_currency,
    check_decimals,
    check_id,
    described,
    locator_parts,
    record,
)
from kernels.records.money import Price, Rate, Tariff
from kernels.records.run import (
    Environment,
    Epoch,
    Evaluation,
    Metric,
    Recording,
    Run,
    RunWarning,
    Sample,
    Setting,
    Software,
    Step,
    Target,
    Withdrawal,
)
from kernels.records.sources import Claim, PrintedCell, Review, Source
from kernels.records.terms import (
    Bound,
    Certainty,
    ClockScope,
    DataKind,
    DatePrecision,
    Direction,
    Hardwares,
    Interval,
    Mode,
    Origin,
    Per,
    Phase,
    Precision,
    PriceKind,
    ServerKind,
    SourceKind,
    Stat,
    Status,
    Verdict,
)

__all__ = [
    "LONGEST_ADDRESS", "LONGEST_ID", "LONGEST_TEXT", "MOST_DECIMALS", "NO_LICENCE", "Bound",
    "Certainty", "Claim", "ClockScope", "DataKind", "DatePrecision", "Direction",
    "Environment", "Epoch", "Evaluation", "Hardware", "Hardwares", "Interval", "Metric", "Mode",
    "Origin", "Per", "Phase", "Precision", "Price", "PriceKind", "PrintedCell", "Rate",
    "Recording", "Review", "Run", "RunWarning", "Sample", "ServerKind", "Setting", "Software",
    "Source", "SourceKind", "Spec", "Stat", "Status", "Step", "System", "Target", "Tariff",
    "Verdict", "Withdrawal", "Workload", "check_address", "check_currency", "check_decimals",
    "check_id", "described", "locator_parts", "record",
]  # fmt: skip
