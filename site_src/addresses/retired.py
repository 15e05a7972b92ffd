"""Removed charts: the last version of each, frozen in `runs/retired/<id>/`.

The folder has the chart's files as served below `c/<id>/`, with a notice on its pictures and
frames; the content of its page (`page.<lang>.json`, which is not served); and `SHA256SUMS`. These
are never made again, so they need no other file of the site, and `BASE` represents the site's
address in them.
"""

import hashlib
import html
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from kernels import disk
from kernels.errors import TouchstoneError
from kernels.store import RETIRED, Problem
from site_src import charts
from site_src.charts import downloads, embed, markup, table, vega
from site_src.charts import pictures as share_pictures
from site_src.charts.drawn import DrawnFigure
from site_src.figures.base import Figure
from site_src.locales import REFERENCE, Locale
from site_src.minify import lean
from site_src.model import Asset
from site_src.templates import charts as templates
from site_src.templates.slots import slot

BASE: Final = "https://site.invalid/"
"""Represents the address of the site's root."""

SUMS: Final = "SHA256SUMS"
_META: Final = "meta.json"
_SCRIPT: Final = Path(__file__).parents[1] / "assets" / "frame.js"


class RetireError(TouchstoneError):
    """A chart cannot be retired; names it and says what to do."""


@dataclass(frozen=True, slots=True)
class Retired:
    """The last version of a chart.

    Attributes:
        id: As it was, unchanged forever.
        meta: Its `meta.json`.
        files: Contents of its folder, by name.
    """

    id: str
    meta: Mapping[str, Any]
    files: Mapping[str, bytes]

    @property
    def page(self) -> str:
        """Path of the page that it belonged to."""
        return str(self.meta["retired"]["page"])

    def language(self, code: str) -> str:
        """The language, or one of the chart's if this one came later."""
        known: Mapping[str, str] = self.meta["title"]
        return next(one for one in (code, REFERENCE, *known) if one in known)

    def shown(self, code: str) -> Mapping[str, Any]:
        """Content of its page: `html`, and of the table `head`, `numbers` (columns) and `rows`."""
        found: Mapping[str, Any] = json.loads(self.files[f"page.{self.language(code)}.json"])
        return found


def freeze(drawn: DrawnFigure, why: str) -> dict[str, bytes]:
    """The files of `runs/retired/<id>/` for a chart that a build has drawn, by name."""
    day, client = drawn.options.date, charts.client()
    own = {name: f"{drawn.folder}{name}" for name in ("frame.css", "favicon.svg")}
    drawn = replace(_noticed(drawn, why), client=own)
    based = replace(drawn, options=replace(drawn.options, base_url=BASE))
    files = {Path(one.path).name: one.content for one in charts.downloads_of(based)}
    meta = json.loads(files[_META])
    gone = {"day": day.isoformat(), "why": why, "page": drawn.page}
    kept = {name: value for name, value in meta.items() if name not in {"state", "report"}}
    files |= {
        _META: downloads.as_json(kept | {"retired": gone}),
        "embed.html": _embed(drawn, why),
        "frame.js": lean(_SCRIPT.name, _SCRIPT.read_bytes()),
        **{name: client[name][1] for name in own},
    }
    for locale in drawn.locales:
        code = locale.code
        shown = _figure(drawn, locale, why)
        told = {"id": drawn.id, "lang": code, "dir": locale.direction, "html": shown}
        files[f"data.{code}.js"] = f"{embed.DATA}{embed.ascii_json(told)};\n".encode()
        files[f"page.{code}.json"] = downloads.as_json(_page(drawn, locale))
    sums = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return files | {SUMS: "".join(sums).encode()}


def _noticed(drawn: DrawnFigure, why: str) -> DrawnFigure:
    """The chart with the notice among the notes of its pictures, and on its card."""
    figure, options = drawn.figure, drawn.options
    compiled = vega.prepare(figure, drawn.locales, options.cache)
    orders = {
        key: replace(
            order,
            notes=(
                order.locale.say("retired.notice", day=options.date, reason=why),
                *order.notes,
            ),
            stamp=order.locale.say("retired.card", day=options.date, site=options.site_name),
            address="",
        )
        for key, order in charts.orders(figure, drawn.locales, compiled, options).items()
    }
    pictures = {key: share_pictures.draw(one, options.cache) for key, one in orders.items()}
    return replace(
        drawn,
        pictures={locale.code: pictures[locale.code, ""] for locale in drawn.locales},
        presets={
            locale.code: {one.id: pictures[locale.code, one.id] for one in figure.presets}
            for locale in drawn.locales
        },
        options=replace(options, base_url=""),
    )


def notice(locale: Locale, day: date, why: str) -> Markup:
    """The notice as HTML; the reason stays in the language it was written in."""
    held = slot("reason")
    words = locale.say("retired.notice", day=day, reason=held)
    before, _, after = words.partition(held)
    language = "" if locale.code == REFERENCE else REFERENCE
    return templates.retired_notice(before, why, language, after)


def _figure(drawn: DrawnFigure, locale: Locale, why: str) -> Markup:
    figure, site = drawn.figure, drawn.options.site_name
    return templates.retired_figure(
        figure,
        locale,
        notice(locale, drawn.options.date, why),
        markup.pictures(figure, locale, drawn.pictures[locale.code], ""),
        markup.notes(figure, locale) + markup.conditions(figure, locale),
        embed.home(drawn, locale),
        locale.say("share.from", title=figure.heading(locale), site=site),
        markup.credit(figure, locale, site),
    )


def _embed(drawn: DrawnFigure, why: str) -> bytes:
    """`embed.html`: picture and notice, with only a few lines of script that choose language and
    theme, and that language's words.

    Without JavaScript it shows the first language, with links to the chart's pages in all
    languages, and the theme of the device.
    """
    still = _figure(drawn, drawn.locales[0], why)
    own = html.escape("'self'")
    made = embed.frame(drawn, 'src="frame.js"', still).decode()
    return made.replace(own, f"{own} {BASE}").encode()


def _page(drawn: DrawnFigure, locale: Locale) -> dict[str, Any]:
    figure = drawn.figure
    folder = f"{BASE}{drawn.folder}"
    picture = markup.pictures(figure, locale, drawn.pictures[locale.code], folder)
    return {
        "title": figure.title(locale),
        "heading": figure.heading(locale),
        "html": templates.retired_body(
            figure.headline(locale),
            picture,
            markup.notes(figure, locale) + markup.conditions(figure, locale),
        ),
        **table_words(figure, locale),
    }


def table_words(figure: Figure, locale: Locale) -> dict[str, Any]:
    """The table as shown, figure by figure; `numbers` are columns."""
    headings = [table.heading(column, locale) for column in table.shown(figure)]
    return {
        "head": [heading.text for heading in headings],
        "numbers": [at for at, heading in enumerate(headings) if heading.number],
        "rows": [[entry.text for entry in line.entries] for line in table.lines(figure, locale)],
    }


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a chart's folder whole or not at all.

    Raises:
        RetireError: It was retired before.
    """
    if folder.exists():
        raise RetireError(
            f"{folder}: the chart was retired before; remove its folder first if it is to be "
            "retired as it is now"
        )
    aside = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(aside, ignore_errors=True)
    with disk.named(folder):
        try:
            aside.mkdir(parents=True)
            for name, content in files.items():
                (aside / name).write_bytes(content)
            aside.rename(folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def read(runs: Path) -> tuple[list[Retired], list[Problem]]:
    """The retired charts below a folder of runs, by id; a damaged one becomes a problem, and the
    others are read.
    """
    found, problems = [], []
    folder = runs / RETIRED
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name.startswith("."):
            reason = "is half-written: remove it and retire the chart again"
            problems.append(Problem(path, reason))
        elif damaged := _damaged(path):
            problems.append(Problem(damaged, "is missing or damaged; take it from the repository"))
        else:
            files = {one.name: one.read_bytes() for one in sorted(path.iterdir())}
            found.append(Retired(path.name, json.loads(files[_META]), files))
    return found, problems


def _damaged(folder: Path) -> Path | None:
    """The first changed file of a folder."""
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return folder / SUMS
    sums = {name: wanted for wanted, _, name in (line.partition("  ") for line in lines)}
    if _META not in sums:
        return folder / SUMS
    paths = (folder / name for name, wanted in sums.items() if _sum(folder / name) != wanted)
    return next(paths, None)


def _sum(path: Path) -> str:
    with suppress(OSError):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return ""


def assets(found: Sequence[Retired], locales: Sequence[Locale], base: str) -> Iterator[Asset]:
    """All files of retired charts, at the site's address; a language that came later has the files
    of `Retired.language`.
    """
    for one in found:
        served = {
            name: content
            for name, content in one.files.items()
            if name != SUMS and not name.startswith("page.")
        }
        for locale in locales:
            spoken = one.language(locale.code)
            for name, content in list(served.items()) if spoken != locale.code else ():
                other = re.sub(rf"(^|\.){spoken}(?=[-.])", rf"\g<1>{locale.code}", name, count=1)
                served.setdefault(other, content)
        if not base:  # then a citation has no address
            lines = served["cite.bib"].splitlines(keepends=True)
            served["cite.bib"] = b"".join(line for line in lines if BASE.encode() not in line)
        for name, content in served.items():
            yield Asset(f"c/{one.id}/{name}", content.replace(BASE.encode(), base.encode()))
