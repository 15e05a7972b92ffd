"""runs/ in, site/ out: joins the recorded runs with the pages that show them.
`python build.py --help` has the options.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

from tqdm import tqdm

from kernels import catalog, disk, store
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.checks.records import unknown_keys
from kernels.errors import StoreError, TouchstoneError
from kernels.store import Archive
from site_src import api, locales, pages, questions
from site_src import build as render
from site_src import charts as share
from site_src.addresses import ledger, moved, retired
from site_src.build.serve import serve
from site_src.charts import panel, runtime, vega
from site_src.charts.drawn import DrawnFigure, Options
from site_src.figures import presets
from site_src.locales import Locale
from site_src.model import BuildOptions, Page, Report
from site_src.outputs import feeds
from site_src.pages.components import badges
from site_src.pages.components.site import Site
from site_src.reports import prose
from site_src.tables.licences import without_unlicensed
from site_src.verify import verify

HERE = Path(__file__).resolve().parent
STRINGS = HERE / "site_src" / "strings"
MANY = 100
"""Runs from which the charts of a language take longer than the start of a process that compiles
them.
"""
MADE_FROM = ("site_src", "kernels", "build.py", "mkdocs.yml")


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be built from what; small, so that it can be handed to another process."""

    runs: Path
    languages: tuple[str, ...] | None
    options: BuildOptions
    strings: Path = STRINGS
    content: Path = pages.CONTENT
    unlicensed: bool = False


@dataclass(frozen=True, slots=True)
class Inputs:
    """What was read before anything is drawn."""

    archive: Archive
    catalog: Catalog
    facts: Facts
    locales: list[Locale]
    retired: list[retired.Retired]
    unlicensed: int = 0


def read(order: Order) -> Inputs:
    """Read runs, catalogue and words."""
    with tqdm(desc="reading runs", unit=" files", leave=False, disable=None) as bar:

        def advance(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        archive = store.read(order.runs, order.options.cache / "store", advance)
    archive, left_out = (archive, 0) if order.unlicensed else without_unlicensed(archive)
    removed, damaged = retired.read(order.runs)
    archive = replace(archive, problems=(*archive.problems, *damaged))
    if unknown := unknown_keys(archive):
        raise StoreError("\n".join(f"{finding.place}: {finding.text}" for finding in unknown))
    known = catalog.load()
    if wrong := list(prose.lint(order.content)):
        raise prose.ProseError("\n".join(wrong))
    return Inputs(
        archive,
        known,
        Facts(archive, known),
        locales.load(order.strings, order.languages, order.content),
        removed,
        left_out,
    )


def draw(
    inputs: Inputs, options: BuildOptions, jobs: int, only: str = ""
) -> tuple[dict[str, DrawnFigure], runtime.Runtime]:
    """Draw every chart in every language, or one of them; what has been drawn before comes from the
    cache.
    """
    client = runtime.build(options.runtime, options.cache)
    found = [
        figure
        for figure in questions.figures(inputs.archive, inputs.catalog, inputs.facts)
        if only in {"", figure.id}
    ]
    return share.draw(
        found, inputs.locales, client, charts(options, jobs), inputs.archive.sources
    ), client


def compile_language(order: Order, language: str) -> None:
    """Compile the charts of one language into the cache, for a process of its own."""
    inputs = read(replace(order, languages=(language,)))
    [locale] = inputs.locales
    vega.prepare_all(
        questions.figures(inputs.archive, inputs.catalog, inputs.facts), locale, order.options.cache
    )


def compile_apart(order: Order, due: Sequence[Locale]) -> None:
    """Compile the charts of several languages at once: from nothing it takes half a minute each."""
    # spawned, for a fork would inherit the threads of the Parquet reader in whatever state they are
    with ProcessPoolExecutor(min(order.options.jobs, len(due)), get_context("spawn")) as pool:
        list(pool.map(partial(compile_language, order), [locale.code for locale in due]))


def charts(options: BuildOptions, jobs: int) -> Options:
    """What charts are told of the build."""
    return Options(
        options.cache,
        options.date,
        options.base_url,
        report_link=options.issues,
        jobs=jobs,
        draft=options.draft,
    )


def pages_of(order: Order, language: str) -> Iterable[Page]:
    """The pages of one language, for a process of its own: it reads again, and finds the charts in
    the cache.
    """
    inputs = read(order)
    drawn, _ = draw(inputs, order.options, 1)
    given = (
        inputs.archive,
        inputs.catalog,
        inputs.facts,
        inputs.locales,
        drawn,
        order.options,
        order.content,
    )
    return pages.pages(*given, only=language, retired=inputs.retired)


def build(order: Order, inputs: Inputs) -> tuple[Report, int, list[ledger.Entry]]:
    """Build the site; what was written, the number of charts, and what the ledger does not have
    yet.
    """
    options, archive, known = order.options, inputs.archive, inputs.catalog
    say(f"drawing charts, {len(inputs.locales)} languages")
    due = (
        vega.unprepared(inputs.locales, options.cache)
        if options.jobs > 1 and len(archive.runs) > MANY
        else []
    )
    if len(due) > 1:
        compile_apart(order, due)
    drawn, client = draw(inputs, options, options.jobs)
    site = pages.site_of(archive, known, inputs.facts, drawn, options, order.content)
    added, renamed = hold(order.runs / ledger.NAME, site, inputs.retired)
    published = [*ledger.read(order.runs / ledger.NAME), *added]
    say("writing pages")
    made = pages.pages(
        archive,
        known,
        inputs.facts,
        inputs.locales,
        drawn,
        options,
        order.content,
        retired=inputs.retired,
    )
    headings = {
        id_: {locale.code: one.figure.heading(locale) for locale in inputs.locales}
        for id_, one in drawn.items()
    }
    headings |= {
        one.id: {locale.code: one.shown(locale.code)["heading"] for locale in inputs.locales}
        for one in inputs.retired
    }
    assets = chain(
        share.assets(drawn, client),
        panel.assets(drawn),
        api.assets(archive, known, inputs.facts, drawn, inputs.locales, options),
        badges.assets(site, inputs.locales),
        feeds.assets(
            site,
            published,
            inputs.locales,
            renamed["chart"],
            {one.id: one.page for one in inputs.retired},
        ),
        retired.assets(inputs.retired, inputs.locales, options.base_url),
        moved.pages(renamed["chart"], headings, inputs.locales, options.base_url),
    )
    nav = {
        locale.code: pages.nav(archive, known, locale, order.content) for locale in inputs.locales
    }
    apart = (
        partial(pages_of, order)
        if render.pays(len(archive.runs), len(inputs.locales), options.jobs)
        else None
    )
    with tqdm(made, desc="writing pages", unit=" pages", leave=False, disable=None) as counted:
        written = render.render(
            counted, moved.forwarded(assets, renamed), nav, inputs.locales, options, apart=apart
        )
        return written, len(drawn), added


def hold(
    path: Path, site: Site, removed: Sequence[retired.Retired]
) -> tuple[list[ledger.Entry], ledger.Moved]:
    """Hold what is built against the ledger at `path`: what it does not have yet, and where renamed
    ids lead.

    Raises:
        LedgerError: Something that was published is gone.
    """
    built = {
        "chart": list(site.figures),
        "preset": list(presets.listed(one.figure for one in site.figures.values())),
        "badge": badges.ids(site),
    }
    verdicts = [
        (claim.claim_id, str(site.facts.judgement(claim.claim_id).verdict))
        for claim in site.archive.claims
    ]
    kept = {one.id: list(one.meta["presets"]) for one in removed}
    return ledger.hold(path, built, verdicts, site.options.date, kept)


def retire(order: Order, inputs: Inputs, chart: str, why: str) -> Path:
    """Keep a chart's last version, as this build draws it; the folder that has it.

    Raises:
        RetireError: It is not drawn, or was retired before.
        LedgerError: It was never published.
    """
    options = order.options
    drawn, _ = draw(inputs, options, options.jobs, chart)
    if chart not in drawn:
        raise retired.RetireError(
            f"{chart}: no chart of this name is drawn; bring back the data and the figure behind "
            f"it first. Ids are in {ledger.NAME}"
        )
    folder = order.runs / store.RETIRED / chart
    ledger.retire(order.runs / ledger.NAME, chart, options.date, why)
    retired.write(folder, retired.freeze(drawn[chart], why))
    return folder


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: 0 when the site stands, 1 for a refused input or a site that does not hold, 2
    for wrong usage.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    given = parse(words)
    start = time.monotonic()
    cache, config = HERE / ".cache", HERE / "mkdocs.yml"
    try:
        if given.clean:
            shutil.rmtree(cache, ignore_errors=True)
        options = BuildOptions(
            date=given.date,
            base_url=given.base_url,
            out=given.out,
            cache=cache,
            config=config,
            issues=render.settings(config).get("issues", ""),
            runtime=given.runtime,
            jobs=given.jobs,
            incremental=not given.clean,
            draft=given.draft,
        )
        order = Order(given.runs, given.lang, options, unlicensed=given.unlicensed)
        inputs = read(order)
        for problem in inputs.archive.problems:
            say(f"left out: {problem}")
        if inputs.unlicensed:
            say(
                f"left out: {inputs.unlicensed} runs of sources that state no licence; "
                "--unlicensed shows them, on a site of your own"
            )
        if given.retire:
            folder = retire(order, inputs, given.retire, given.why)
            say(
                f"kept the last version of {given.retire} in {folder}: review and commit it, then "
                "remove the chart"
            )
            return 0
        report, drawn, added = build(order, inputs)
        failures = []
        if given.verify:
            failures = verify(
                given.out,
                inputs.archive,
                inputs.catalog,
                inputs.facts,
                inputs.locales,
                base_url=options.base_url,
                published=ledger.read(given.runs / ledger.NAME),
            )
        if given.ledger and not failures:
            ledger.append(given.runs / ledger.NAME, added)
    except TouchstoneError as error:
        say(f"error: {error}")
        return 1
    except OSError as error:
        say(f"error: {disk.told(error) if error.errno in disk.FULL else error}")
        return 1
    for failure in failures:
        say(f"verify: {failure}")
    unpromised = bool(added) and given.verify and bool(given.base_url) and not given.ledger
    if added:
        names = ", ".join(f"{entry.kind} {entry.id}" for entry in added[:5]) + (
            ", ..." if len(added) > 5 else ""  # noqa: PLR2004 - a line
        )
        done = (
            "recorded in"
            if given.ledger and not failures
            else "not yet recorded (publishing with --ledger does) in"
        )
        say(f"{len(added)} new charts or verdicts {done} {given.runs / ledger.NAME}: {names}")
    checked = (
        "" if not given.verify else f", {len(failures)} failures" if failures else ", verified"
    )
    print(  # noqa: T201 - the command's answer
        f"built {report.pages} pages in {', '.join(report.languages)} from "
        f"{len(inputs.archive.runs)} runs with {drawn} charts "
        f"({len(report.written)} files written, {len(report.removed)} removed{checked}) in "
        f"{time.monotonic() - start:.1f} s: {given.out}"
    )
    if given.serve:
        again = [word for word in words if word not in {"--serve", "--clean"}]
        command = [sys.executable, str(HERE / "build.py"), *again]
        watched = [HERE / name for name in MADE_FROM] + [given.runs]
        serve(
            given.out,
            given.port,
            watched,
            lambda: subprocess.run(command, check=False).returncode == 0,  # noqa: S603 - ourselves
            say,
        )
    if unpromised:
        say(
            "error: a site that is published must keep what it shows: run build.py --ledger, and "
            "commit the ledger"
        )
    return 1 if failures or unpromised else 0


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The options, checked; wrong usage ends with 2."""
    parser = argparse.ArgumentParser(
        prog="build.py", description="Build the site from the recorded runs.", allow_abbrev=False
    )
    parser.add_argument(
        "--runs", type=Path, default=HERE / "runs", help="folder with recorded runs (default: runs)"
    )
    parser.add_argument(
        "--out", type=Path, default=HERE / "site", help="folder to write (default: site)"
    )
    parser.add_argument(
        "--lang",
        type=lambda text: tuple(text.split(",")),
        help="such as en,ja (default: all); needs another --out",
    )
    parser.add_argument(
        "--base-url",
        default="",
        help="address of the site's root; without it nothing absolute is written",
    )
    parser.add_argument(
        "--date", type=_day, help="the build's date (default: SOURCE_DATE_EPOCH, else today)"
    )
    parser.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        help="processes (default: one for each core)",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="hold every figure, link and file of the written site against the records",
    )
    parser.add_argument(
        "--ledger",
        action="store_true",
        help="record new chart ids and verdicts in ledger.csv: they are promises from then on",
    )
    parser.add_argument(
        "--draft",
        action="store_true",
        help="leave out PNG files, which take much of a first build; do not publish that",
    )
    parser.add_argument(
        "--retire",
        metavar="CHART",
        help="keep the last version of a chart that is to be removed, and build nothing",
    )
    parser.add_argument(
        "--why",
        default="",
        help="for --retire: the reason, in English; readers see it where the chart was",
    )
    parser.add_argument(
        "--unlicensed",
        action="store_true",
        help="show runs of sources that state no licence too; do not publish that",
    )
    parser.add_argument(
        "--serve",
        action="store_true",
        help="serve the site here and build again when something changes",
    )
    parser.add_argument("--port", type=int, default=8000, help="for --serve (default: 8000)")
    parser.add_argument(
        "--clean", action="store_true", help="forget the caches and build everything anew"
    )
    parser.add_argument(
        "--runtime",
        choices=runtime.KINDS,
        default="slim",
        help="the charts' JavaScript (default: slim)",
    )
    given = parser.parse_args(arguments)
    if given.date is None:
        try:
            epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
            given.date = datetime.fromtimestamp(int(epoch), UTC).date() if epoch else date.today()
        except (ValueError, OverflowError):
            parser.error(f"SOURCE_DATE_EPOCH is {epoch!r}, wanted seconds since 1970")
    known = [path.stem for path in sorted(STRINGS.glob("*.toml"))]
    unknown = sorted(set(given.lang or ()) - set(known))
    if unknown:
        parser.error(f"--lang: no strings for {', '.join(unknown)}; there are {', '.join(known)}")
    if given.lang and set(given.lang) != set(known) and given.out.resolve() == HERE / "site":
        parser.error("--lang with some of the languages needs another --out: site/ has all of them")
    if given.base_url and not given.base_url.startswith(("https://", "http://")):
        parser.error(
            f"--base-url is {given.base_url!r}, wanted an address such as "
            "https://example.org/bench/"
        )
    if bool(given.retire) != bool(given.why.strip()):
        parser.error(
            "--retire CHART and --why TEXT go together: readers are told why the chart was removed"
        )
    if given.retire and given.lang and set(given.lang) != set(known):
        parser.error("--retire keeps a chart in every language: leave --lang out")
    if given.draft and (given.base_url or given.verify or given.ledger or given.retire):
        parser.error(
            "--draft leaves out files that a published site has: it goes without --base-url, "
            "--verify, --ledger and --retire"
        )
    if given.jobs < 1:
        parser.error(f"--jobs is {given.jobs}, wanted 1 or more")
    return given


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date, wanted YYYY-MM-DD") from None


def say(text: str) -> None:
    """A line for whoever waits."""
    tqdm.write(f"build.py: {text}" if text else "", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
