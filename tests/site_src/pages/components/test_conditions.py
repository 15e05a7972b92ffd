"""What rows are filtered by."""

from dataclasses import replace

from site_src.pages.components import conditions
from tests.site_src.own import own_run


def test_a_processor_alone_is_no_accelerator() -> None:
    """A run on a CPU counts none, not one."""
    run = own_run()
    assert run.environment is not None
    on_a_card = replace(run.environment, accelerator_name="Tesla T4")

    assert conditions.bare(run)
    assert not conditions.bare(replace(run, environment=on_a_card))


def test_numbers_go_by_size() -> None:
    """A form offers 2, 4, 16, not 16, 2, 4."""
    assert sorted(["16", "4", "2"], key=conditions.natural) == ["2", "4", "16"]
