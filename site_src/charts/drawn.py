"""A chart with its pictures in every language: the input of its pages, files and frames."""

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
        site_name: Name on pictures, cards and embeds.
        report_link: Template of the tracker's address, with `{figure}` and `{page}`; empty for
            none.
        draft: True leaves out PNG files.
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
    """A chart on the pages of one language, with slots for the path to the site's root; `version`
    is a hash of its data and table, so that a page never loads those of another build.
    """

    headline: str
    choices: str
    picture: str
    notes: str
    conditions: str
    table: str
    version: str


@dataclass(frozen=True)  # without slots: parts that several pages share are made once
class DrawnFigure:
    """A figure with its pictures and all files made from it, by language.

    Attributes:
        pictures: Files by kind, as in `charts.pictures.names`.
        client: Paths below site/ of the files that charts load, by name.
        presets: Pictures of presets by their ids.
        compiled: Without the specifications of the pictures: a third of a build's memory.
        sources: The sources to cite, by id.
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
        """Its pictures in a language, including presets."""
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
        """The data that the browser needs in every language."""
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
        """Its parts for the pages of each language that has been asked for."""
        return Kept()
