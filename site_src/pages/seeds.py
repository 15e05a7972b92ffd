"""The page on seeds: spread of otherwise identical runs, by benchmark and by submission."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from markupsafe import Markup

from kernels.analysis.variation import Measure
from site_src.locales import unbroken
from site_src.model import Page
from site_src.pages.components import tables
from site_src.pages.components.tables import Cells, Entry
from site_src.pages.components.writer import Writer, capital
from site_src.questions.mlperf.seeds import NEAR
from site_src.tables import series_label
from site_src.tables.stability import Label, Stability
from site_src.tables.submissions import Submission, are_few, by_workload, submissions
from site_src.templates import html

CHARTS: Final = (("benchmarks", "seeds-benchmarks"), ("runs", "seeds-spread"))

_APART_DECIMALS: Final = 2
"""With one decimal, 5.04 % would read as 5.0 %, in which it is not counted."""

MOST_NAMED: Final = 8
"""Up to this many, all submissions with runs that missed their target are named."""

NAMED: Final = 5
"""If there are more, the number of submissions named: those with most such runs."""

WORST_FIRST: Final = (Label.UNSTABLE, Label.COARSE, Label.STABLE)


def seeds_page(writer: Writer) -> Page:
    """The page in one language; only its prose if there are no submissions."""
    found = submissions(writer.site.evidence)
    blocks: dict[str, list[Markup]] = {
        section: [writer.chart(id_)] for section, id_ in CHARTS if id_ in writer.site.figures
    }
    if found:
        blocks["answer"] = [
            chosen(writer, "seeds.chosen", found),
            findings(writer, answer(writer, found)),
        ]
        blocks.setdefault("benchmarks", []).insert(0, benchmarks(writer, found))
        blocks["logs"] = [html.paragraph(logged(writer, found))]
    return writer.prose_page("seeds", writer.text("seeds.md"), blocks)


def chosen(writer: Writer, key: str, found: Sequence[Submission]) -> Markup:
    """Says which submissions a page uses if it leaves some out; else empty."""
    if not are_few(writer.site.evidence):
        return Markup("")
    counts = {"taken": len(found), "all": len(writer.site.evidence.results.scores_of())}
    figures = {name: writer.fig(f"number:{count}") for name, count in counts.items()}
    return html.paragraph(writer.t(key, **figures))


def findings(writer: Writer, said: Sequence[Markup]) -> Markup:
    """Sentences from the data, one below the other."""
    return html.findings([writer.kept(text) for text in said])


def label(writer: Writer, one: Submission) -> str:
    """System, framework, round and year of a submission."""
    return unbroken(series_label(one.first, writer.site.catalog))


def total(found: Sequence[Submission], field: str) -> str:
    """Reference to a count over all submissions."""
    refs = [one.ref(field) for one in found]
    return f"sum({', '.join(refs)})" if len(refs) > 1 else refs[0]


def answer(writer: Writer, found: Sequence[Submission]) -> list[Markup]:
    """Names steady benchmarks, the number of runs that reached their target, and the precision of
    comparisons.
    """
    said = [html.lines(*_labels(writer, found)), _reached(writer, found)]
    known = [
        (value, one)
        for one in found
        if (value := writer.fact(one.ref("time_apart")).value) is not None
    ]
    if known:
        _, worst = max(known, key=lambda pair: pair[0])
        said.append(
            writer.t(
                "seeds.apart",
                limit=writer.fig(f"number:{NEAR}", percent=True, decimals=0),
                high=writer.fig(worst.ref("time_apart"), _APART_DECIMALS, percent=True),
                high_of=_named(writer, worst),
                fine=writer.fig(f"number:{sum(value <= NEAR for value, _ in known)}"),
                submissions=writer.fig(f"number:{len(known)}"),
            )
        )
    return said


def _reached(writer: Writer, found: Sequence[Submission]) -> Markup:
    short = [one for one in found if one.score.converged < one.score.runs]
    named = sorted(short, key=lambda one: one.score.converged / one.score.runs)
    named = named[:NAMED] if len(short) > MOST_NAMED else short
    sentences = [
        writer.t(
            "seeds.counts",
            runs=writer.fig(total(found, "runs")),
            reached=writer.fig(total(found, "converged")),
            submissions=writer.fig(f"number:{len(found)}"),
        )
    ]
    sentences += [
        writer.t(
            f"seeds.{'unfinished' if one.unfinished else 'missed'}",
            missed=writer.fig(f"difference({one.ref('runs')}, {one.ref('converged')})"),
            runs=writer.fig(one.ref("runs")),
            workload=writer.workload_name(one.score.workload),
            submission=label(writer, one),
        )
        for one in sorted(named, key=lambda one: (one.unfinished, one.score.workload))
    ]
    if left := len(short) - len(named):
        sentences.append(writer.t("seeds.more", n=writer.fig(f"number:{left}")))
    return writer.joined("sentences", *sentences)


def _named(writer: Writer, one: Submission) -> Markup:
    return writer.joined("comma", writer.workload_name(one.score.workload), label(writer, one))


def _labels(writer: Writer, found: Sequence[Submission]) -> Iterator[Markup]:
    labels = labels_of(writer, found)
    for which in WORST_FIRST:
        own = [workload for workload, one in labels.items() if one.label is which]
        if own:
            yield writer.t(
                "seeds.label",
                label=capital(writer.t(f"stability.{which}")),
                workloads=writer.joined("comma", *map(writer.workload_link, own)),
            )


def labels_of(writer: Writer, found: Sequence[Submission]) -> Mapping[str, Stability]:
    """The stability of each benchmark over all its runs, as on its own page."""
    return {
        workload: writer.site.stability_of(workload)
        for workload in by_workload(found, writer.site.catalog)
    }


def benchmarks(writer: Writer, found: Sequence[Submission]) -> Markup:
    """A row for each benchmark: its runs, the widest spread in one submission, and its label with
    the deciding runs.
    """
    labels = labels_of(writer, found)
    rows = [
        _benchmark(writer, workload, own, labels[workload])
        for workload, own in by_workload(found, writer.site.catalog).items()
    ]
    return tables.table(writer, writer.t("seeds.benchmarks"), rows)


def _benchmark(writer: Writer, workload: str, own: Sequence[Submission], found: Stability) -> Cells:
    times = max(own, key=lambda one: one.range(Measure.TIME))
    deciding = found.runs[:1]
    counted = [one for one in own if one.progress is not None]
    # among comparable submissions, the one that decides the label
    progress = max(
        counted,
        key=lambda one: (
            one.range(one.progress or Measure.EPOCHS),
            *(run in one.runs for run in deciding),
        ),
        default=None,
    )
    badge = html.noted(writer.badge("stability", found.label), decided(writer, found))
    return {
        "workload": Entry(writer.workload_link(workload), writer.workload_name(workload)),
        "submissions#": tables.count(writer, len(own)),
        "runs#": tables.figure(writer, total(own, "runs"), unit=False),
        "converged#": tables.figure(writer, total(own, "converged"), unit=False),
        "time_spread#": _times(writer, times.ref("time_range"), label(writer, times)),
        "progress_spread#": Entry(writer.missing("not_stated"), kind="text")
        if progress is None
        else _times(writer, _range(progress), label(writer, progress)),
        "stability": Entry(badge, str(found.label)),
    }


def decided(writer: Writer, found: Stability) -> Markup:
    """The runs that decide a label; empty without a label."""
    if not found.runs:
        return Markup("")
    name = unbroken(series_label(found.runs[0], writer.site.catalog))
    return writer.t("seeds.decides", submission=writer.run_link(found.runs[0].run_id, name))


def _range(one: Submission) -> str:
    """Reference to the ratio of the most epochs or samples to the fewest."""
    return one.ref(f"{one.progress}_range")


def _times(writer: Writer, ref: str, note: str | Markup = "") -> Entry:
    if writer.fact(ref).value is None:
        return Entry(writer.fig(ref))
    times = writer.t("figure.times", n=writer.fig(ref, decimals=3))
    return tables.valued(writer, ref, html.noted(times, note))


def logged(writer: Writer, found: Sequence[Submission]) -> Markup:
    """The number of submissions that log a seed for each run, one for several, or none."""
    many = sum(len(one.seeds) == len(one.runs) for one in found)
    none = sum(not one.seeds for one in found)
    counts = {"many": many, "one": len(found) - many - none, "none": none}
    return writer.t(
        "seeds.seeds_logged_counts",
        **{name: writer.fig(f"number:{count}") for name, count in counts.items()},
    )
