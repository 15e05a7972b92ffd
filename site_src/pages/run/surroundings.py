"""Facts about a run's machine that have no column: caches, clocks, container, storage, load and
uptime.
"""

import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup, escape

from kernels.records import Environment
from site_src.pages.components.writer import Writer
from site_src.templates import html

OF_MACHINE: Final = ("cpu_caches", "container", "data_volume")
"""Rows of a machine: the same for all its runs, or with the number of runs for each value."""

OF_RUN: Final = ("cpu_clocks", "at_start", "data_volume")
"""Rows on a run's page beside its processor's; the downloads have all."""

_CLOCKS: Final = ("cpu_clock_start_mhz", "cpu_clock_end_mhz")

_DIGEST: Final = 19
"""Characters of an image's digest that identify it, `sha256:` included."""


def rows(writer: Writer, found: Environment) -> dict[str, Markup]:
    """The known facts, by their key below `environment.`, in the page's language; garbled records
    of others are left out.
    """
    told = {each.name: each.value for each in found.extra}
    shown = {
        "cpu_caches": _caches(told.get("cpu_caches", "")),
        "cpu_clocks": writer.joined(
            "comma", *dict.fromkeys(_clock(writer, told.get(name, "")) for name in _CLOCKS)
        ),
        "at_start": _at_start(writer, found, told.get("uptime_s")),
        "container": _container(told),
        "data_volume": _volume(writer, told),
    }
    return {name: value for name, value in shown.items() if value}


def _is_number(text: str | None) -> bool:
    return text is not None and re.fullmatch(r"\d{1,15}", text) is not None


def _caches(text: str) -> Markup:
    """`L1d 48 KiB, L2 1024 KiB`: symbols that need no translation."""
    return (
        escape(text) if re.fullmatch(r"L\d[di]? \d+ KiB(, L\d[di]? \d+ KiB)*", text) else Markup("")
    )


def _clock(writer: Writer, text: str) -> Markup:
    ends = text.split("-")
    if not all(map(_is_number, ends)):
        return Markup("")
    said = [writer.locale.quantity(float(end), "MHz") for end in ends]
    return escape(said[0]) if len(said) == 1 else writer.t("range_wide", low=said[0], high=said[-1])


def _at_start(writer: Writer, found: Environment, uptime: str | None) -> Markup:
    if uptime is None or not _is_number(uptime):
        return Markup("")
    load = found.load_average_1min
    parts = (
        [] if load is None else [writer.t("environment.load", load=writer.locale.number(load, 2))]
    )
    return writer.joined(
        "comma",
        *parts,
        writer.t("environment.uptime", time=writer.locale.duration(float(uptime))),
    )


def _container(told: Mapping[str, str]) -> Markup:
    image = told.get("container_image", "")
    code = html.code(image[:_DIGEST]) if image else ""
    return html.spaced(told["container"], code) if "container" in told else Markup("")


def _volume(writer: Writer, told: Mapping[str, str]) -> Markup:
    size, turns = told.get("data_volume_bytes"), told.get("data_disk_rotates")
    parts = [
        escape(told.get("data_filesystem", "")),
        escape(writer.locale.bytes_(float(size or 0))) if _is_number(size) else "",
        writer.t(f"environment.rotates_{turns}") if turns in {"yes", "no"} else "",
    ]
    return writer.joined("comma", *parts)
