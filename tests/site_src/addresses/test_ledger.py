"""The ledger of what was published: rows are added, ids are never lost, changed verdicts are
told.
"""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_src.addresses import ledger
from site_src.addresses.ledger import Entry, LedgerError

DAY = date(2026, 11, 20)
WORDS = st.text(alphabet="abcz09-.,\"' é", min_size=1, max_size=12)


def test_what_is_new_is_recorded_once(tmp_path: Path) -> None:
    """The first build with --ledger writes charts and verdicts; the same build again has nothing to
    add.
    """
    path = tmp_path / "ledger.csv"
    built = {"chart": ["a-throughput"], "preset": ["a-throughput/log"], "badge": ["a/fast"]}
    verdicts = [("a-claim", "reproduces")]

    ledger.append(path, ledger.hold(path, built, verdicts, DAY))

    assert path.read_text("utf-8").splitlines() == [
        "kind,id,verdict,first_published",
        "chart,a-throughput,,2026-11-20",
        "preset,a-throughput/log,,2026-11-20",
        "badge,a/fast,,2026-11-20",
        "claim,a-claim,reproduces,2026-11-20",
    ]
    assert ledger.hold(path, built, verdicts, DAY) == []


def test_a_lost_id_is_named(tmp_path: Path) -> None:
    """What the ledger has and the build has not is an error with its name, its first day, and the
    ways out.
    """
    path = tmp_path / "ledger.csv"
    kinds = {"chart": "gone", "preset": "here/log", "badge": "a/fast", "claim": "away"}
    ledger.append(path, [Entry(kind, id_, "", "2026-01-02") for kind, id_ in kinds.items()])

    with pytest.raises(LedgerError) as lost:
        ledger.hold(path, {"chart": ["here"]}, [], DAY)

    assert ", ".join(f"{kind} {id_} (since 2026-01-02)" for kind, id_ in kinds.items()) in str(
        lost.value
    )
    assert "moved.csv" in str(lost.value) and "build.py --retire CHART --why TEXT" in str(
        lost.value
    )


def test_what_is_kept_on_purpose_is_not_lost(tmp_path: Path) -> None:
    """An id that was renamed or retired is answered; of the same name another kind is not."""
    path = tmp_path / "ledger.csv"
    ledger.append(
        path,
        [Entry("chart", "old", "", "2026-01-02"), Entry("preset", "old/log", "", "2026-01-02")],
    )

    assert ledger.hold(
        path, {"chart": ["new"]}, [], DAY, {"chart": ["old"], "preset": ["old/log"]}
    ) == [Entry("chart", "new", "", "2026-11-20")]
    with pytest.raises(LedgerError, match="preset old/log"):
        ledger.hold(path, {"chart": ["new"]}, [], DAY, {"chart": ["old", "old/log"]})


def test_a_changed_verdict_is_a_row_more(tmp_path: Path) -> None:
    """The old verdict stays in its row; a verdict that returns is recorded again."""
    path = tmp_path / "ledger.csv"
    for verdict in ("rounding", "contradicts", "rounding"):
        ledger.append(path, ledger.hold(path, {}, [("a-claim", verdict)], DAY))

    assert [entry.verdict for entry in ledger.read(path)] == ["rounding", "contradicts", "rounding"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the first line is ''"),
        ("kind,id\n", "wanted kind,id,verdict,first_published"),
        ("kind,id,verdict,first_published\npage,a,,2026-11-20\n", r"ledger\.csv:2: .*wanted"),
        (
            "kind,id,verdict,first_published\nchart,a,,soon\n",
            r"ledger\.csv:2: first_published is 'soon'",
        ),
    ],
)
def test_a_damaged_ledger_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """File, line, and what was wanted are named."""
    path = tmp_path / "ledger.csv"
    path.write_text(text, "utf-8")

    with pytest.raises(LedgerError, match=message):
        ledger.read(path)


@given(st.lists(st.tuples(st.sampled_from(ledger.KINDS), WORDS, WORDS), max_size=8))
def test_what_is_appended_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, str]]
) -> None:
    """Any text in ids and verdicts comes back, over several appends."""
    path = tmp_path_factory.mktemp("ledger") / "ledger.csv"
    entries = [Entry(*row, "2026-11-20") for row in rows]

    ledger.append(path, entries[:3])
    ledger.append(path, entries[3:])

    assert ledger.read(path) == entries


def test_the_repository_keeps_a_ledger(repository: Path) -> None:
    """runs/ledger.csv can be read, and has the charts of the first report."""
    charts = {
        entry.id
        for entry in ledger.read(repository / "runs" / "ledger.csv")
        if entry.kind == "chart"
    }

    assert {
        f"tpuv2-v100-{name}"
        for name in ("throughput", "data", "value", "accuracy", "target", "convergence")
    } <= charts
