"""Hold the written site against the records. It reads files only and trusts none.

Held: each `<data>` (reference, value and text) through `Facts`; languages against each other;
links, anchors, resources, styles, search; `api/v1/*.json`, `data/*` and each chart's tables and
descriptions against the same made again (`verify.again`), runs, claims and scores of the API also
through `Facts`; CSV against Parquet against specification (`verify.charts`), and against the page's
table where it sums a chart up (`verify.tables`); SVG pictures against specification and page
(`verify.svg`); chart data in pages and embeds; figures in descriptions, `alt` and prose
(`verify.words`); withdrawn runs; badges, oEmbed, JSON-LD, and where feeds and lists lead to
(`verify.machines`).

Not held: figures in words elsewhere than `verify.words` says, what feeds and `llms.txt` say, PNG
pictures, the lengths and places of marks, compiled specifications beyond their rows, and scripts.
An error in the code that makes tables and charts is found only where `Facts` holds the same.
"""

import json
import math
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import unquote, urlsplit

from kernels.audit.facts import Facts
from kernels.errors import FactError
from kernels.records import Metric, Status
from kernels.store import Archive
from site_src.addresses.moved import old_files, unforwarded
from site_src.build.output import MARKER, written
from site_src.tables import BLEU, is_bleu, level
from site_src.verify.again import Again, charts_differ, files_differ
from site_src.verify.charts import charts
from site_src.verify.html import Read, Shown, css, read
from site_src.verify.machines import badges, lists, oembed, structured
from site_src.verify.svg import pictures
from site_src.verify.tables import summed
from site_src.verify.words import names, withdrawn, words

# a figure goes through text once; repr loses nothing, JSON writers may lose the last bit
_EXACT: Final = 1e-12


class Reading(Protocol):
    """What `verify` needs of a locale."""

    @property
    def code(self) -> str:
        """Language tag."""

    def shows(self, text: str, value: float) -> bool:
        """Whether the text is the value, rounded as the language writes it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that is not as it should be: the file below site/, what was found and what was
    wanted.
    """

    file: str
    found: str

    def __str__(self) -> str:
        return f"{self.file}: {self.found}"


def verify(
    out: Path,
    archive: Archive,
    facts: Facts,
    locales: Sequence[Reading],
    base_url: str = "",
    *,
    made: Again | None = None,
) -> list[Failure]:
    """All that is wrong with the site in `out`; an empty list says that every check passed.

    Args:
        out: The written site.
        archive: What is recorded.
        facts: What references resolve to.
        locales: The site's languages.
        base_url: Address of the site's root, where the build was given one.
        made: What the records give, made again by `verify.again.again`; without it the files that
            it would hold are held by the rest alone.
    """
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    pages = {name: read(out / name) for name in sorted(files) if name.endswith(".html")}
    failures = [
        Failure(str(problem.path), f"is left out of the site: {problem.reason}")
        for problem in archive.problems
    ]
    failures += _listed(out, files)
    codes = [locale.code for locale in locales]
    failures += _languages(pages, codes)
    for locale in locales:
        for name, page in pages.items():
            if name.startswith(f"{locale.code}/"):
                failures += (
                    Failure(name, fault)
                    for shown in page.figures
                    for fault in figure(shown, facts, locale)
                )
    failures += links(pages, files, base_url)
    failures += _styles(out, files)
    failures += _search(out, pages, codes)
    failures += (Failure(*found) for found in charts(out, files))
    failures += (
        Failure(*found)
        for found in pictures(
            out,
            files,
            codes,
            {key: told.presets for key, told in made.told.items()} if made else None,
        )
    )
    failures += (
        Failure(*found)
        for found in withdrawn(
            pages, codes, [run.run_id for run in archive.runs if run.withdrawn is not None]
        )
    )
    headlines = {told.headline for told in made.told.values()} | made.sentences if made else set()
    by_code = {locale.code: locale for locale in locales}
    allowed = names(made.names if made else ())
    failures += (
        Failure(*found) for found in words(pages, codes, allowed, headlines, _counts(archive))
    )
    if made is not None:
        failures += (Failure(*found) for found in files_differ(out, files, made.files))
        failures += (Failure(*found) for found in charts_differ(out, files, pages, made.told))
        failures += (Failure(*found) for found in summed(out, files, pages, made.told, by_code))
        failures += (Failure(*found) for found in unforwarded(out, files, made.moved, codes))
    failures += (
        Failure(*found)
        for found in badges(
            out, files, lambda shown, code: figure(shown, facts, by_code[code]), allowed
        )
    )
    # a copy under an old name goes on showing the new one's frame
    failures += (
        Failure(*found)
        for found in oembed(out, files - old_files(files, made.moved if made else {}), base_url)
    )
    failures += (Failure(*found) for found in structured(pages, files, base_url))
    failures += (Failure(*found) for found in lists(out, files, base_url))
    failures += _api(out, archive, facts)
    return list(dict.fromkeys(failures))


def _counts(archive: Archive) -> dict[str, set[str]]:
    """What descriptions of pages may count, by path: claims of a source; runs in force, those with
    a result, those that ended well.
    """
    found: dict[str, set[str]] = {
        f"sources/{name}/": {str(n)}
        for name, n in Counter(claim.source for claim in archive.claims).items()
    }
    told = [run for run in archive.runs if run.withdrawn is None]
    for runs in (
        told,
        [run for run in told if run.status is not Status.NOT_REPORTED],
        [run for run in told if run.status is Status.OK],
    ):
        for path, n in Counter(
            path
            for run in runs
            for path in (f"systems/{run.system}/", f"workloads/{run.workload}/")
        ).items():
            found.setdefault(path, set()).add(str(n))
    return found


def _listed(out: Path, files: set[str]) -> Iterator[Failure]:
    """What the last build wrote is there."""
    for name in sorted(written(out) - files):
        yield Failure(
            name, f"was written by the build and is gone (listed in {MARKER}); build again"
        )


def figure(shown: Shown, facts: Facts, locale: Reading) -> Iterator[str]:
    """What is wrong with one figure: no such fact, another value, or a text that is not that value.

    A figure without a reference is no fact but a choice, such as the target that a row of a chart's
    table is for; only its text is held.
    """
    try:
        value = float(shown.value)
    except ValueError:
        yield f"figure {shown.ref or shown.text}: value {shown.value!r} is no number"
        return
    if shown.ref:
        try:
            fact = facts.get(shown.ref)
        except FactError as error:
            yield f"figure {shown.text!r}: {error}"
            return
        wanted = {"low": fact.low, "high": fact.high}.get(shown.end, fact.value)
        if wanted is None or not _equal(value, wanted):
            yield (
                f"figure {shown.ref}{f' ({shown.end})' if shown.end else ''}: the page has "
                f"{value!r}, the records {wanted!r}"
            )
    if not locale.shows(shown.text, level(BLEU, value) if is_bleu(shown.ref) else value):
        yield (
            f"figure {shown.ref or 'without reference'}: the text {shown.text!r} is not "
            f"{value!r} as {locale.code} writes it"
        )


def _equal(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=_EXACT)


def _languages(pages: Mapping[str, Read], codes: Sequence[str]) -> Iterator[Failure]:
    """Every language has the same pages with the same figures, anchors and charts, and says which
    language it is.
    """
    own = {
        code: {
            name.partition("/")[2]: page
            for name, page in pages.items()
            if name.startswith(f"{code}/")
        }
        for code in codes
    }
    first = codes[0]
    for code in codes:
        for path in sorted(own[first].keys() ^ own[code].keys()):
            lacks, has = (code, first) if path in own[first] else (first, code)
            yield Failure(f"{lacks}/{path}", f"is missing; {has} has this page")
        for path, page in sorted(own[code].items()):
            name, other = f"{code}/{path}", own[first].get(path)
            if page.language != code:
                yield Failure(name, f"<html lang> is {page.language!r}, wanted {code!r}")
            if not page.title.strip():
                yield Failure(name, "has no title")
            if page.unclosed:
                yield Failure(name, f"tags do not match: {', '.join(page.unclosed[:5])}")
            if page.twice:
                yield Failure(name, f"ids stand twice: {', '.join(sorted(page.twice)[:5])}")
            if other is None or other is page:
                continue
            for what, one, two in (
                ("figures", _figures(page), _figures(other)),
                ("anchors", Counter(page.ids), Counter(other.ids)),
            ):
                for extra, holder in ((one - two, code), (two - one, first)):
                    if extra:
                        yield Failure(
                            name, f"{what} differ from {first}: only {holder} has {_some(extra)}"
                        )


def _figures(page: Read) -> Counter[str]:
    return Counter(
        f"{shown.ref}{'/' if shown.end else ''}{shown.end} = {shown.value}"
        for shown in page.figures
    )


def _some(extra: Mapping[str, int]) -> str:
    names = sorted(extra)
    return "; ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")  # noqa: PLR2004 - three tell enough


def links(pages: Mapping[str, Read], files: set[str], base_url: str = "") -> Iterator[Failure]:
    """Links and anchors lead somewhere, resources are our own, absolute addresses are of this
    site.
    """
    for name, page in pages.items():
        for address in page.links:
            if fault := _follow(name, address, pages, files, base_url) or _folder(name, address):
                yield Failure(name, fault)
        for address in page.resources:
            if _foreign(address):
                yield Failure(
                    name, f"loads {address} from another host; every resource is the site's own"
                )
            elif fault := _follow(name, address, pages, files, base_url):
                yield Failure(name, fault)
        for address in page.absolute:
            if not base_url or not address.startswith(base_url):
                yield Failure(
                    name,
                    f"the address {address} is not below the site's own "
                    f"{base_url or '(no --base-url was given)'}",
                )
            elif fault := _follow(name, address, pages, files, base_url):
                yield Failure(name, fault)


def _foreign(address: str) -> bool:
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in {"http", "https", "ws", "wss", "ftp"}


def _follow(
    name: str, address: str, pages: Mapping[str, Read], files: set[str], base_url: str
) -> str | None:
    """What is wrong with an address on a page; None where it leads to a file and an anchor, or to
    another site.
    """
    parts = urlsplit(address)
    if base_url and address.startswith(base_url):
        parts = urlsplit(address[len(base_url) :])
        target = posixpath.normpath(unquote(parts.path) or ".")
    elif parts.scheme or parts.netloc:
        return (
            None
            if parts.scheme in {"http", "https", "mailto", "data", "blob"}
            else f"a link with the scheme of {address[:60]!r}"
        )
    elif parts.path.startswith("/"):
        return (
            f"the link {address} begins at the host's root; wanted a relative one, which holds "
            "under any folder"
        )
    else:
        target = (
            posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path)))
            if parts.path
            else name
        )
    index = posixpath.normpath(posixpath.join(target, "index.html"))
    if target not in files and index not in files:
        return f"the link {address} leads to {target}, which is not there"
    if target not in files and parts.path and not parts.path.endswith(("/", "..", ".")):
        return (
            f"the link {address} names a folder; write {parts.path}/index.html (a host would "
            "have to redirect)"
        )
    target = target if target in files else index
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].ids:
        return f"the link {address} leads to #{anchor}, which {target} does not have"
    return None


def _folder(name: str, address: str) -> str | None:
    """What is wrong with a link that names a page's folder: from a disk it opens a list of files.
    Frames and 404.html are of a host.
    """
    parts = urlsplit(address)
    if (
        parts.scheme
        or parts.netloc
        or not parts.path.endswith("/")
        or name.startswith("c/")
        or name == "404.html"
    ):
        return None
    return (
        f"the link {address} names a folder, which opened from a disk is a list of files; "
        "write "
        f"{parts.path}index.html"
    )


def _styles(out: Path, files: set[str]) -> Iterator[Failure]:
    for name in sorted(name for name in files if name.endswith(".css")):
        for address in css((out / name).read_text(encoding="utf-8")):
            if _foreign(address):
                yield Failure(name, f"loads {address} from another host")
            elif (
                posixpath.normpath(
                    posixpath.join(
                        posixpath.dirname(name), address.partition("?")[0].partition("#")[0]
                    )
                )
                not in files
            ):
                yield Failure(name, f"loads {address}, which is not there")


def _search(out: Path, pages: Mapping[str, Read], codes: Iterable[str]) -> Iterator[Failure]:
    """The search leads to pages and anchors that are there, and its script is its JSON."""
    for code in codes:
        name = f"search/{code}.json"
        try:
            text = (out / name).read_text(encoding="utf-8")
            sections = json.loads(text)["sections"]
        except (OSError, ValueError, KeyError) as error:
            yield Failure(name, f"is no search index: {error}")
            continue
        for path, anchor, *_ in sections:
            page = pages.get(f"{code}/{path}index.html")
            if page is None or (anchor and anchor not in page.ids):
                yield Failure(name, f"leads to {code}/{path}#{anchor}, which is not there")
        if text not in (out / f"search/{code}.js").read_text(encoding="utf-8"):
            yield Failure(f"search/{code}.js", f"differs from {name}")


def _api(out: Path, archive: Archive, facts: Facts) -> Iterator[Failure]:
    """The JSON files can be read, and every figure of a run, a claim and a score in them is the
    recorded or the recomputed one.
    """
    tables: dict[str, list[dict[str, object]]] = {}
    for path in sorted((out / "api").rglob("*.json")):
        name = path.relative_to(out).as_posix()
        try:
            table = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_constant)
            tables[path.stem] = table["records"]
            if not re.fullmatch(r"\d+\.\d+", table["schema_version"]):
                yield Failure(
                    name, f"schema_version is {table['schema_version']!r}, wanted <major>.<minor>"
                )
        except (ValueError, KeyError, TypeError) as error:
            yield Failure(name, f"is no table of the API: {error}")
    yield from _derived(tables, facts)
    if "runs" not in tables:
        return
    name = "api/v1/runs.json"
    given = {str(record.get("run_id")): record for record in tables["runs"]}
    runs = {run.run_id: run for run in archive.runs}
    for run_id in sorted(given.keys() ^ runs.keys()):
        yield Failure(
            name, f"run {run_id} is only {'in the API' if run_id in given else 'recorded'}"
        )
    for run_id in sorted(given.keys() & runs.keys()):
        metrics = given[run_id].get("metrics")
        shown = metrics if isinstance(metrics, dict) else {}
        recorded = {metric.key: metric for metric in runs[run_id].metrics}
        for key in sorted(shown.keys() ^ recorded.keys()):
            yield Failure(
                name,
                f"run {run_id}: metric {key} is only "
                f"{'in the API' if key in shown else 'recorded'}",
            )
        for key in sorted(shown.keys() & recorded.keys()):
            yield from (
                Failure(name, f"run {run_id}: {fault}")
                for fault in _metric(shown[key], recorded[key])
            )


_DERIVED: Final = (
    ("claims", "claim:{0[id]}", ("printed", "recomputed")),
    ("scores", "score:{0[run_ids][0]}", ("minutes",)),
)
"""Tables of the API with figures that references resolve: the table, the reference's beginning, and
its fields.
"""


def _derived(
    tables: Mapping[str, Sequence[Mapping[str, object]]], facts: Facts
) -> Iterator[Failure]:
    for table, begins, fields in _DERIVED:
        for record in tables.get(table, ()):
            for name in fields:
                ref = f"{begins.format(record)}:{name}"
                shown = record.get("score_minutes" if name == "minutes" else name)
                try:
                    wanted = facts.get(ref).value
                except FactError as error:
                    yield Failure(f"api/v1/{table}.json", str(error))
                    continue
                number = isinstance(shown, int | float) and not isinstance(shown, bool)
                if shown != wanted and not (
                    number and wanted is not None and _equal(float(str(shown)), wanted)
                ):
                    yield Failure(
                        f"api/v1/{table}.json", f"{ref} is {shown!r}, the records have {wanted!r}"
                    )


def _metric(shown: Mapping[str, object], metric: Metric) -> Iterator[str]:
    for field, wanted in (
        ("value", metric.value),
        ("low", metric.low),
        ("high", metric.high),
        ("unit", metric.unit),
        ("n", metric.n),
    ):
        found = shown.get(field)
        if (
            isinstance(found, int | float)
            and isinstance(wanted, int | float)
            and not isinstance(found, bool)
        ):
            if _equal(float(found), float(wanted)):
                continue
        elif found == wanted:
            continue
        yield f"metric {metric.key}: {field} is {found!r}, recorded is {wanted!r}"


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")
