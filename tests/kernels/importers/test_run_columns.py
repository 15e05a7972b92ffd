"""Columns that articles and plain tables share."""

import pytest

from kernels.errors import SourceError
from kernels.importers.run_columns import metric, metric_name
from kernels.records import Direction
from kernels.tabular import Entry


def test_a_column_names_metric_target_and_place() -> None:
    """The metric is what is left without the other two."""
    assert metric_name("epochs_to_target@0.757 at") == "epochs_to_target"


def test_a_target_has_the_direction_of_its_metric() -> None:
    """Of a loss less is better."""
    entry = Entry("a.csv:2", {"epochs_to_target@0.9": "3", "target_metric": "loss"})

    found = metric(entry, "epochs_to_target@0.9").target

    assert found is not None
    assert (found.value, found.direction) == (0.9, Direction.AT_MOST)


def test_a_range_is_no_target() -> None:
    """One threshold is wanted."""
    entry = Entry("a.csv:2", {"epochs_to_target@0.7..0.8": "3", "target_metric": "top1"})

    with pytest.raises(
        SourceError, match=r"a.csv:2: .*found the range '0.7..0.8', wanted one threshold"
    ):
        metric(entry, "epochs_to_target@0.7..0.8")
