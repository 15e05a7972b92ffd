"""The ledger of what was published: rows are added, ids are never lost, changed verdicts are
told.
"""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.errors import SourceError
from site_src.addresses import ledger
from site_src.addresses.ledger import Entry, Kind, LedgerError

DAY = date(2026, 11, 20)
THEN = date(2026, 1, 2)
HEAD = "kind,id,verdict,first_published,moved_to,retired\n"
WORDS = st.text(alphabet="abcz09-.,\"' é", min_size=1, max_size=12).map(str.strip).filter(bool)


def test_what_is_new_is_recorded_once(tmp_path: Path) -> None:
    """The first build with --ledger writes charts and verdicts; the same build again has nothing to
    add.
    """
    path = tmp_path / "ledger.csv"
    built = [
        Entry(Kind.CHART, "a-throughput", "", DAY),
        Entry(Kind.PRESET, "a-throughput/log", "", DAY),
        Entry(Kind.BADGE, "a/fast", "", DAY),
        Entry(Kind.CLAIM, "a-claim", "reproduces", DAY),
    ]

    ledger.append(path, ledger.hold(path, built, {})[0])

    assert path.read_text("utf-8").splitlines() == [
        "kind,id,verdict,first_published,moved_to,retired",
        "chart,a-throughput,,2026-11-20,,",
        "preset,a-throughput/log,,2026-11-20,,",
        "badge,a/fast,,2026-11-20,,",
        "claim,a-claim,reproduces,2026-11-20,,",
    ]
    assert ledger.hold(path, built, {})[0] == []


def test_a_lost_id_is_named(tmp_path: Path) -> None:
    """What the ledger has and the build has not is an error with its name, its first day, and the
    ways out.
    """
    path = tmp_path / "ledger.csv"
    kinds = dict(zip(Kind, ("gone", "here/log", "a/fast", "away"), strict=True))
    ledger.append(path, [Entry(kind, id_, "", THEN) for kind, id_ in kinds.items()])

    with pytest.raises(LedgerError) as lost:
        ledger.hold(path, [Entry(Kind.CHART, "here", "", DAY)], {})

    assert ", ".join(f"{kind} {id_} (since 2026-01-02)" for kind, id_ in kinds.items()) in str(
        lost.value
    )
    assert "moved_to" in str(lost.value) and "build.py --retire CHART --why TEXT" in str(lost.value)


HERE, GONE, OLD = "a-here", "a-gone", "a-old"
BUILT = [
    Entry(Kind.CHART, HERE, "", DAY),
    Entry(Kind.PRESET, f"{HERE}/relative", "", DAY),
    Entry(Kind.BADGE, "a/fast", "", DAY),
]
RETIRED = {GONE: ["log"]}


def _row(id_: str, moved_to: str = "", retired: str = "") -> Entry:
    kind = Kind.BADGE if id_.startswith("a/") else Kind.PRESET if "/" in id_ else Kind.CHART
    return Entry(kind, id_, "", THEN, moved_to, retired)


def _gone(why: str = "2026-11-21 It was wrong.") -> Entry:
    return _row(GONE, retired=why)


@pytest.mark.parametrize(("new", "preset"), [(HERE, "relative"), (GONE, "log")])
def test_a_renamed_chart_keeps_its_presets(tmp_path: Path, new: str, preset: str) -> None:
    """Whether its new name is drawn or retired; what is built and not in the ledger yet is to be
    added, what is kept is not.
    """
    path = tmp_path / "ledger.csv"
    rows = [_gone(), _row(f"{GONE}/log"), _row(OLD, new), _row(f"{OLD}/{preset}")]
    ledger.append(path, [*rows, _row("a/slow", "a/fast")])

    added, moved = ledger.hold(path, BUILT, RETIRED)

    assert moved == {Kind.CHART: {OLD: new}, Kind.BADGE: {"a/slow": "a/fast"}}
    assert [entry.id for entry in added] == [HERE, f"{HERE}/relative", "a/fast"]


@pytest.mark.parametrize(
    ("rows", "retired", "fault"),
    [
        ([_row(GONE)], {}, f"chart {GONE} "),
        ([_row(OLD, HERE), _row(f"{OLD}/lost")], {}, f"preset {OLD}/lost "),
        ([_row(HERE, retired="2026-11-21 Wrong.")], {HERE: []}, "retired, and still on the site"),
        ([_gone()], {}, f"{GONE}: retired, and not in runs/retired"),
        ([], RETIRED, f"{GONE}: in runs/retired/, and not retired in"),
        ([_row(OLD, "nowhere")], {}, f"{OLD} was renamed to nowhere, which is not on the site"),
        ([_row(HERE, OLD)], {}, f"{HERE} was renamed to {OLD} and is still on the site"),
        ([_row("b", "b")], {}, "chart b was renamed to b, and on in a circle"),
        ([_row("b", "c"), _row("c", "b")], {}, "chart b was renamed to c, and on in a circle"),
        ([_row("x", "b"), _row("b", "b")], {}, "chart x was renamed to b, and on in a circle"),
        ([_row(OLD, "a/fast")], {}, f"{OLD} was renamed to a/fast, which is not on the site"),
    ],
)
def test_what_is_lost_is_refused(
    tmp_path: Path, rows: list[Entry], retired: dict[str, list[str]], fault: str
) -> None:
    """A chart, a preset of one that was renamed, one that is both retired and drawn or neither, and
    a rename that leads nowhere, in a circle, or away from what is there.
    """
    path = tmp_path / "ledger.csv"
    ledger.append(path, rows)

    with pytest.raises(LedgerError, match=fault):
        ledger.hold(path, BUILT, retired)


def test_a_chart_that_was_renamed_twice_leads_to_its_last_name() -> None:
    """Both old names lead there, whatever the order of the rows."""
    rows = [_row("b", "c"), _row("a", "b")]

    assert ledger.renamed(rows, [(Kind.CHART, "c")])[Kind.CHART] == {"a": "c", "b": "c"}


def test_a_chart_is_retired_in_its_row(tmp_path: Path) -> None:
    """Once, and only one that was published; the other rows stay."""
    path = tmp_path / "ledger.csv"
    ledger.append(path, [_row(HERE), _row(GONE)])

    ledger.retire(path, GONE, DAY, "It was wrong, in two places.")

    assert ledger.read(path) == [_row(HERE), _gone("2026-11-20 It was wrong, in two places.")]
    with pytest.raises(LedgerError, match=f"{GONE} was retired before: 2026-11-20 It was wrong"):
        ledger.retire(path, GONE, DAY, "again")
    with pytest.raises(LedgerError, match=f"{OLD} was never published"):
        ledger.retire(path, OLD, DAY, "It was wrong.")


def test_a_changed_verdict_is_a_row_more(tmp_path: Path) -> None:
    """The old verdict stays in its row; a verdict that returns is recorded again."""
    path = tmp_path / "ledger.csv"
    for verdict in ("rounding", "contradicts", "rounding"):
        built = [Entry(Kind.CLAIM, "a-claim", verdict, DAY)]
        ledger.append(path, ledger.hold(path, built, {})[0])

    assert [entry.verdict for entry in ledger.read(path)] == ["rounding", "contradicts", "rounding"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found an empty file, wanted a header with the columns kind, id, verdict"),
        ("kind,id\n", r"ledger\.csv:1: the column 'verdict' is missing"),
        (
            f"{HEAD}page,a,,2026-11-20,,\n",
            r"ledger\.csv:2: kind: found 'page', wanted one of chart",
        ),
        (f"{HEAD}chart,,,2026-11-20,,\n", r"ledger\.csv:2: id: found nothing"),
        (f"{HEAD}chart,a,,soon,,\n", r"ledger\.csv:2: first_published: found 'soon', wanted a day"),
        (f"{HEAD}chart,a,,,,\n", r"ledger\.csv:2: first_published: found nothing"),
        (f"{HEAD}claim,a,,2026-11-20,b,\n", r"ledger\.csv:2: moved_to: only a chart or a badge"),
        (f"{HEAD}badge,a,,2026-11-20,,2026-11-20 x\n", r"ledger\.csv:2: retired is .*of a chart"),
        (f"{HEAD}chart,a,,2026-11-20,,2026-11-20\n", r"ledger\.csv:2: retired is .*a reason"),
        (f"{HEAD}chart,a,,2026-11-20,,soon wrong\n", r"ledger\.csv:2: retired is 'soon wrong'"),
    ],
)
def test_a_damaged_ledger_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """File, line, and what was wanted are named."""
    path = tmp_path / "ledger.csv"
    path.write_text(text, "utf-8")

    with pytest.raises(SourceError, match=message):
        ledger.read(path)


@given(st.lists(st.tuples(st.sampled_from(Kind), WORDS, WORDS), max_size=8))
def test_what_is_appended_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Kind, str, str]]
) -> None:
    """Any text in ids and verdicts comes back, over several appends."""
    path = tmp_path_factory.mktemp("ledger") / "ledger.csv"
    entries = [Entry(*row, DAY) for row in rows]

    ledger.append(path, entries[:3])
    ledger.append(path, entries[3:])

    assert ledger.read(path) == entries


def test_the_repository_keeps_a_ledger(repository: Path) -> None:
    """runs/ledger.csv can be read, and has the charts of the first report."""
    charts = {
        entry.id
        for entry in ledger.read(repository / "runs" / "ledger.csv")
        if entry.kind is Kind.CHART
    }

    assert {
        f"tpuv2-v100-{name}"
        for name in ("throughput", "data", "value", "accuracy", "target", "convergence")
    } <= charts
