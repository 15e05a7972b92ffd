from kernels.store import Archive
from site_src.evidence import Evidence
from site_src.verify import words
from tests.site_src.recorded import known
from tests.site_src.submitted import submission


def test_runs_of_a_result_are_counted_by_how_they_ended() -> None:
    """Two of five did not reach the target: its page may say 3 and 2."""
    runs = submission("v0.5", 2018, [60, None, 62, None, 64], [60, None, 62, None, 64])
    found = words.counts(Evidence(Archive(runs=tuple(runs)), known()))

    assert [found[path] for path in found if path.startswith("results/")] == [{"3", "2"}]
