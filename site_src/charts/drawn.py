"""A chart with its pictures in every language: what its pages, files and frames are made of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from kernels.reading import Kept, note, remembered
from kernels.records import Source
from site_src.charts import downloads, payload
from site_src.charts import pictures as share_pictures
from site_src.charts.vega import Compiled
from site_src.figures.base import Figure
from site_src.locales import Locale
from site_src.model import Asset


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of the site that charts need.

    Attributes:
        cache: Folder for compiled charts and pictures.
        built: The build's date, in citations and descriptions.
        base_url: Address of the site's root with a `/` at the end; empty keeps every address
            relative.
        site_name: Stands on pictures, cards and embeds.
        report_link: Template of the tracker's address, with `{figure}` and `{page}`; empty for
            none.
        draft: Whether PNG files are left out.
    """

    cache: Path
    built: date
    base_url: str = ""
    site_name: str = "Touchstone"
    report_link: str = ""
    draft: bool = False

    @property
    def date(self) -> date:
        """The build's date."""
        note("date")
        return self.built


@dataclass(frozen=True, slots=True)
class Body:
    """A chart on the pages of one language, each way to the site's root a slot; `version` is a hash
    of its data and table, so that a page never meets those of another build.
    """

    headline: str
    choices: str
    picture: str
    notes: str
    conditions: str
    table: str
    version: str


@dataclass(frozen=True)  # without slots: what a figure stands on several pages with is made once
class DrawnFigure:
    """A figure with its pictures and all that is made of it, by language.

    Attributes:
        pictures: Files by kind, as in `charts.pictures.names`.
        client: Paths below site/ of what charts load, by name.
        presets: Pictures of presets by their ids.
        compiled: Without the specifications of the pictures: a third of a build's memory.
        sources: What citations name, by id.
    """

    figure: Figure
    locales: tuple[Locale, ...]
    pictures: Mapping[str, Mapping[str, bytes]]
    client: Mapping[str, str]
    options: Options
    presets: Mapping[str, Mapping[str, Mapping[str, bytes]]] = field(default_factory=dict)
    compiled: Mapping[str, Compiled] = field(kw_only=True)
    sources: Mapping[str, Source] = field(kw_only=True)

    @property
    def id(self) -> str:
        """The chart's id."""
        return self.figure.id

    @property
    def page(self) -> str:
        """Path of the page that it belongs to."""
        return self.figure.page

    @property
    def folder(self) -> str:
        """The folder of its files, below site/."""
        return f"c/{self.figure.id}/"

    def files(self, language: str) -> Iterator[Asset]:
        """Its pictures in a language, those of presets too."""
        for preset, made in {"": self.pictures[language], **self.presets.get(language, {})}.items():
            for kind, name in share_pictures.names(language, preset).items():
                if kind in made:
                    yield Asset(f"{self.folder}{name}", made[kind])

    @remembered
    def tables(self) -> Mapping[str, bytes]:
        """Its table as files, by name."""
        return downloads.tables(self.figure)

    @remembered
    def common(self) -> Mapping[str, Mapping[str, Any]]:
        """The data that the browser needs in every language, as each language's page has them."""
        return {
            one.code: payload.common_payload(
                self.figure, self.compiled[one.code], self.figure.records(one)
            )
            for one in self.locales
        }

    @remembered
    def own(self) -> Mapping[str, Mapping[str, Any]]:
        """The data that the browser needs in each language."""
        return {
            one.code: payload.language_payload(
                self.figure, self.compiled[one.code], self.figure.records(one), one
            )
            for one in self.locales
        }

    @cached_property
    def bodies(self) -> Kept[str, Body]:
        """Its parts on each page of a language, as far as a page has asked for them."""
        return Kept()
