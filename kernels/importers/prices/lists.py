"""Lists of many small clouds: the table of Full Stack Deep Learning, the offers of gpu-pricing, and
the daily cheapest of gpu-price-feed.

US dollars per hour: of the whole row in the table, of one accelerator in the others. The table is
maintained by hand and always complete; its day is in the file's name.
"""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Final

from kernels.catalog import Catalog
from kernels.errors import SourceError
from kernels.importers.base import Refused, accelerator, head
from kernels.importers.prices.rows import (
    NO_HOST,
    NO_PRICE,
    PROVIDERS,
    TIERS,
    Quote,
    RowError,
    counted,
    each_row,
    has,
    json_of,
    no_day,
)
from kernels.records import Hardware, PriceKind
from kernels.tabular import Row, decoded, number, table

ASKED: Final = "asking-price"
CONVERTED: Final = "converted-from-euro"
"""Notes of an imported price; the text for readers is `price_note.<note>` in `strings/`."""

fits_table = has("Cloud", "GPU Type", "GPUs", "On-demand", "Per-GPU", "Spot", "Name")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_SIZED: Final = re.compile(r"\((\d{1,3}) ?(?:GB)?\)$")
"""Memory after a name, which the table spells in three ways."""
_PRICES: Final = (("On-demand", PriceKind.ON_DEMAND), ("Spot", PriceKind.SPOT))

_TIERS: Final = {tier: PriceKind(kind) for tier, kind in TIERS.items()}
_APART: Final = "billed separately"
_GUESSED: Final = "estimated"
_MARKETS: Final = frozenset({"runpod", "vastai"})
"""Clouds whose cheapest offer is of a host that they only list."""

_IN_EURO: Final = frozenset({"scaleway"})
_PEEK: Final = 1 << 12


def fits_offers(path: Path) -> bool:
    """Returns True if a file is a list of offers."""
    return path.suffix.lower() == ".json" and _begins(path, b'"gpu_model"', b'"price_usd_hour"')


def fits_feed(path: Path) -> bool:
    """Returns True if a file is a feed, a line per day."""
    return path.suffix.lower() == ".jsonl" and _begins(path, b'"cheapest"')


def _begins(path: Path, *words: bytes) -> bool:
    start = head(path, _PEEK)
    return all(word in start for word in words)


def read_table(
    path: Path, name: str, _provider: str, _day: date, known: Catalog
) -> Iterator[Quote | Refused]:
    """Yields the prices of the table of clouds."""
    said = _DAY.search(path.name)
    try:
        day = date.fromisoformat(said[0] if said else "")
    except ValueError:
        raise SourceError(
            f"{name}: no day in the file's name; wanted one such as cloud-gpus-2025-03-07.csv"
        ) from None
    yield from each_row(table(path, name), name, lambda row: _cloud(row, day, known))


def _cloud(row: Row, day: date, known: Catalog) -> Iterator[Quote]:
    cells = row.cells
    chip, count = counted(row, "GPU Type", "GPUs")
    if not any(cells[column] for column, _ in _PRICES):
        raise RowError(NO_PRICE, "On-demand: found nothing, wanted an amount here or in Spot")
    size, bare = _SIZED.search(chip), _SIZED.sub("", chip).rstrip()
    chip = f"{bare} ({size[1]} GB)" if size else chip
    word = cells["Cloud"]
    named = cells["Name"] or f"{count} × {bare}, {cells.get('vCPUs') or '?'} vCPU"
    for column, kind in _PRICES:
        if cells[column]:
            yield Quote(
                line=row.line,
                column=column,
                amount=cells[column].replace("$", "").replace(",", ""),
                provider=PROVIDERS.get(word.lower(), word),
                offer=named,
                accelerator=chip,
                hardware=card(bare, number(size[1]) if size else None, known.hardware),
                accelerators=count,
                day=day,
                kind=kind,
                instance=cells["Name"] or None,
                includes=("accelerator", "host"),
            )


def read_offers(
    path: Path, name: str, _provider: str, _day: date, known: Catalog
) -> Iterator[Quote | Refused]:
    """Yields the offers of gpu-pricing, each of one accelerator."""
    text = decoded(path, name)
    found = json_of(text, name)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise SourceError(f"{name}: found {type(found).__name__}, wanted a list of offers")
    start = 0
    for each in found:
        said = {key: value for key, value in each.items() if value is not None}
        start = max(
            start, text.find(json.dumps(str(said.get("id", "")), ensure_ascii=False), start)
        )
        row = Row(text.count("\n", 0, start) + 1, {k: str(v) for k, v in said.items()})
        try:
            yield _offer(row, str(said.get("caveats", "")), known)
        except RowError as error:
            yield Refused(error.reason, f"{name}:{row.line}: {error}")


def _offer(row: Row, caveats: str, known: Catalog) -> Quote:
    cells = {name: row.cells.get(name, "") for name in _FIELDS}
    if missing := [name for name in _NEEDED if not cells[name]]:
        raise RowError("a field is missing", f"{missing[0]}: found nothing, wanted a text")
    tier = cells["tier"]
    if tier not in _TIERS:
        raise RowError("terms not known", f"tier: found {tier!r:.60}, wanted one of {[*_TIERS]}")
    if _GUESSED in caveats:
        raise RowError(
            "an estimate, which nobody offers", f"caveats: found {caveats:.200}, wanted a price"
        )
    model, word, kind = cells["gpu_model"], cells["provider_id"], _TIERS[tier]
    apart = _APART in caveats
    hosted = bool(cells["vcpu"]) and not apart
    memory = number(cells["vram_gb"])
    about = (NO_HOST if apart else "", ASKED if kind is PriceKind.MARKETPLACE else "")
    return Quote(
        line=row.line,
        column="price_usd_hour",
        amount=cells["price_usd_hour"],
        provider=PROVIDERS.get(word, word),
        offer=_name(model, f"{cells['vram_gb']} GB", cells["interconnect"], tier),
        accelerator=model,
        hardware=card(model, memory, known.hardware),
        accelerators=1,
        day=_day_in(cells["collected_at"], "collected_at"),
        kind=kind,
        includes=("accelerator", "host") if hosted else ("accelerator",) if apart else (),
        note=" ".join(filter(None, about)) or None,
        telling=cells["id"].removeprefix(f"{word}-"),
    )


def _name(model: str, *more: str) -> str:
    """Returns the name of an offer: its model, and memory, form and tier if not in the model's
    name. The price itself states the terms.
    """
    terms = {kind.value for kind in PriceKind} | {"on-demand"}
    said = re.sub(r"\s", "", model).casefold()
    new = [text for text in more if text and text.replace(" ", "").casefold() not in said]
    return ", ".join((model, *(text for text in new if text not in terms)))


_NEEDED: Final = ("provider_id", "gpu_model", "price_usd_hour", "collected_at", "tier")
_FIELDS: Final = (*_NEEDED, "id", "vram_gb", "vcpu", "interconnect")


def read_feed(
    path: Path, name: str, _provider: str, _day: date, known: Catalog
) -> Iterator[Quote | Refused]:
    """Yields the cheapest price on demand of each accelerator at each cloud, a line per day."""
    for line, text in enumerate(decoded(path, name).splitlines(), 1):
        if not text.strip():
            continue
        found = json_of(text, f"{name}:{line}")
        clouds = found.get("cheapest") if isinstance(found, dict) else None
        if not isinstance(clouds, dict):
            raise SourceError(f"{name}:{line}: found no object with `cheapest`, wanted one a day")
        try:
            day = _day_in(str(found.get("collected_at", "")), "collected_at")
        except RowError as error:
            raise SourceError(f"{name}:{line}: {error}") from None
        for cloud, cards in clouds.items():
            for key, amount in cards.items() if isinstance(cards, dict) else ():
                yield _cheapest(line, str(cloud), str(key), str(amount), day, known)


def _cheapest(  # noqa: PLR0917 - the fields of a line
    line: int, cloud: str, key: str, amount: str, day: date, known: Catalog
) -> Quote:
    listed = cloud in _MARKETS
    about = (ASKED if listed else "", CONVERTED if cloud in _IN_EURO else "")
    return Quote(
        line=line,
        column=f"{cloud}, {key}",
        amount=amount,
        provider=PROVIDERS.get(cloud, cloud),
        offer=key,
        accelerator=key,
        hardware=_keyed(key, known.hardware),
        accelerators=1,
        day=day,
        kind=PriceKind.MARKETPLACE if listed else PriceKind.ON_DEMAND,
        note=" ".join(filter(None, about)) or None,
    )


_MEMORY: Final = re.compile(r" (\d{1,3})GB\b")
_OPEN: Final = "(form unstated)"


def _keyed(key: str, hardware: Mapping[str, Hardware]) -> str | None:
    """Returns the accelerator of a key such as `H100 80GB SXM`; without a stated form, the kind
    without one.
    """
    size = _MEMORY.search(key)
    if size is None:
        return None
    name, form = key[: size.start()], key[size.end() :].strip()
    found = card(f"{name} {form.replace(_OPEN, '')}", number(size[1]), hardware)
    return None if form == _OPEN and found and _formed(found) else found


_FORM: Final = re.compile(r"\b(SXM\d?|PCIe|NVL)\b", re.IGNORECASE)
_DROPPED: Final = re.compile(
    r"\b(?:NVIDIA|AMD|Tesla|GeForce|HGX|NVLink|\d{2,3}GB?)\b", re.IGNORECASE
)
_USUAL: Final = {"A100": "SXM4", "V100": "SXM2"}
"""Form of cards that are called just SXM."""

_WORDS: Final[Mapping[str, str]] = {
    "a5000": "RTX A5000",
    "rtx pro 6000 se": "RTX PRO 6000 Blackwell Server Edition",
    "rtx pro 6000 blackwell server": "RTX PRO 6000 Blackwell Server Edition",
}


def card(name: str, memory_gb: float | None, hardware: Mapping[str, Hardware]) -> str | None:
    """Returns the catalogue's id of a card by its name, with or without maker and form, and its
    memory; None if there is none.
    """
    form = _FORM.search(name)
    base = " ".join(_DROPPED.sub("", _FORM.sub("", name)).split())
    base = _WORDS.get(base.lower(), base)
    shape = form[1] if form else "SXM" if "HGX" in name else ""
    size = "" if memory_gb is None else f"{memory_gb:.0f}GB"
    shapes = [shape, *(["SXM", _USUAL.get(base, "")] if shape.upper().startswith("SXM") else [])]
    tried = [(each, size) for each in filter(None, shapes)]
    tried += [*((each, "") for each in filter(None, shapes)), ("", size), ("", "")]
    for each, sized in tried:
        for maker in ("", "NVIDIA ", "Tesla ", "NVIDIA Tesla "):
            found = accelerator(f"{maker}{base}{each}{sized}", hardware)
            if found and (each or not shape or not _formed(found)):
                return found
    return None


def _formed(hardware: str) -> bool:
    return any(_FORM.fullmatch(word) for word in hardware.split("-"))


def _day_in(text: str, column: str) -> date:
    """Returns the day that begins a text such as `2026-10-01T13:13:26+00:00`."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        raise no_day(text, column) from None
