"""The reader's choices in a chart of curves, and named states."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import pandas as pd

from site_src import tables
from site_src.figures import common
from site_src.figures.controls import Choice, Control, Preset, Said, Sentence
from site_src.figures.marks.curves import ALL
from site_src.locales import Locale

CHOOSE: Final = 5
"""The most series of one picture; of more, one kind of accelerator is drawn first."""


def families(table: pd.DataFrame) -> list[str]:
    """Kinds of accelerators to choose from, if a picture cannot hold them all."""
    found = Counter(str(name) for name in table.drop_duplicates("series")["family"])
    return (
        [name for name, _ in found.most_common()]
        if len(found) > 1 and found.total() > CHOOSE
        else []
    )


def controls(
    metrics: Sequence[str],
    families: Sequence[str],
    along: str,
    unit: str,
    *,
    zoom: bool,
    first_near: bool,
    apart: bool,
    axes: Sequence[str],
) -> tuple[Control, ...]:
    """Quality, accelerators, axis, and the range of the axis of quality."""
    found = []
    if len(metrics) > 1:
        choices = tuple(common.choice(metric, f"metric.{metric}") for metric in metrics)
        found.append(Control("quality", choices, filters="metric"))
    if families:
        kinds = [Choice(tables.slug(name), lambda _, name=name: name) for name in families]  # type: ignore[misc]
        every = common.choice(ALL, "control.all")
        found.append(Control("family", (*kinds, every), filters="family_id", every=ALL))
    if unit:
        shown = {"epochs" if along == "epoch" else along: along, "time": "time"}
        shown |= {"training": "train_time"} if apart else {"time-log": "time"}
        shown |= {name: name for name in axes}
        choices = tuple(
            common.choice(value, f"control.axis_{value.replace('-', '_')}") for value in shown
        )
        found.append(Control("axis", choices, fields={"along": shown}))
    if zoom:
        ranges = [common.choice(name, f"control.range_{name}") for name in ("whole", "target")]
        found.append(Control("range", tuple(reversed(ranges) if first_near else ranges)))
    return tuple(found)


def sentences(
    controls: Sequence[Control], told: Mapping[str, Callable[[Locale], Sentence]]
) -> Iterator[Said]:
    """Yields the headline of each kind of accelerators; of the first also for another quality."""
    qualities = next((control.choices for control in controls if control.key == "quality"), ())
    for number, (name, sentence) in enumerate(told.items()):
        family = {"family": tables.slug(name)} if number else {}
        for quality in [{}, *({"quality": choice.value} for choice in qualities[1:])]:
            if quality or family:
                yield Said({**quality, **family}, sentence)


def priced(table: pd.DataFrame, families: Sequence[str]) -> str:
    """The kind of accelerators with the most series that have a cost; empty for the first kind."""
    if not families or "cost" not in table:
        return ""
    known = table[table["cost"].notna()].drop_duplicates("series")["family"]
    counted = Counter(map(str, known))
    best = max(families, key=lambda name: counted[name])
    return best if best != families[0] else ""


def presets(
    controls: Iterable[Control], table: pd.DataFrame, families: Sequence[str]
) -> tuple[Preset, ...]:
    """Presets for rounds: by time, and by cost for the kind of accelerators whose cost is known."""
    offered = {
        choice.value
        for control in controls
        if control.key == "axis"
        for choice in control.choices[1:]
    }
    asked = ("time", "cost") if "time-log" in offered else ()
    kind = priced(table, families)
    kinds = {"cost": {"family": tables.slug(kind)} if kind else {}}
    return tuple(
        Preset(f"by-{name}", {"axis": name, **kinds.get(name, {})})
        for name in asked
        if name in offered
    )
