"""Words of a figure's states: the names of presets, findings and captions of their pictures, and
the headline of each choice.
"""

from collections.abc import Iterable, Iterator
from itertools import product

from site_src.figures.base import Figure
from site_src.figures.columns import present
from site_src.figures.controls import Choice, Control, Preset, State
from site_src.figures.written import FigureError
from site_src.locales import Locale


def label(figure: Figure, preset: Preset, locale: Locale) -> str:
    """A string of the figure's or of all figures; else each choice that the preset makes."""
    base = figure.baseline(preset.state)
    for key in (f"figure.{figure.key}.preset.{preset.id}", f"preset.{preset.id}"):
        if key in locale.strings:
            return locale.say(key, **({"baseline": base.label} if base is not None else {}))
    chosen = [
        locale.say(
            "join.colon",
            what=locale.say(f"control.{control.key}"),
            text=control.said(locale, preset.state),
        )
        for control in figure.controls
        if control.key in preset.state
    ]
    if not chosen:
        raise FigureError(
            f"{figure.id}: the preset {preset.id!r} has no name; add preset.{preset.id} to "
            f"{locale.path}"
        )
    return " · ".join(chosen)


def caption(figure: Figure, preset: Preset, locale: Locale) -> str:
    """The line below the title, which names what is drawn and the state."""
    title = figure.caption(locale, preset.state)
    alone = figure.titled is not None and set(preset.state) == {figure.titled.key}
    return (
        title if alone else locale.say("join.paren", text=title, note=label(figure, preset, locale))
    )


def finding(figure: Figure, preset: Preset, locale: Locale) -> str:
    """The headline of the preset's state, or the range of its figures."""
    if figure.sentence_in(preset.state) is not None:
        return figure.headline(locale, figure.decides(preset.state))
    rows = figure.rows(locale, preset.state)
    # of adjacent rows with one name only the first carries it
    named: list[str] = []
    for row in rows:
        named.append(row["name"].replace("\n", " ") or named[-1])
    read = [
        (row[end], row["text"], name)
        for row, name in zip(rows, named, strict=True)
        # a range has no value of its own
        for end in (["value"] if present(row["value"]) else ["low", "high"])
        if present(row[end])
    ]
    axis = figure.axis_title(locale, preset.state)
    axis = axis[:1].upper() + axis[1:]  # it begins a sentence
    if not read:
        return locale.say("figure.preset_none", axis=axis)
    low, high = min(read), max(read, key=lambda one: one[0])
    told = {"axis": axis, "low": low[1], "first": low[2]}
    if low[0] == high[0]:
        return locale.say("figure.preset_alike", **told)
    if low[2] == high[2]:
        return locale.say("figure.preset_within", **told, high=high[1])
    return locale.say("figure.preset_range", **told, high=high[1], last=high[2])


def headlines(figure: Figure, locale: Locale) -> list[tuple[State, str]]:
    """The headline of each further state that choices or a preset make."""
    deciding = list(filter(figure.deciding, figure.controls))
    chosen = [
        {control.key: choice.value for control, choice in zip(deciding, each, strict=True)}
        for each in _each(deciding)
    ]
    found = {
        tuple(sorted(state.items())): Preset("", state)
        for state in map(figure.decides, chosen)
        if state
    }
    found |= {
        tuple(sorted(state.items())): preset
        for preset in figure.presets
        if (state := figure.decides(preset.state))
    }
    return [(dict(state), finding(figure, preset, locale)) for state, preset in found.items()]


def _each(deciding: Iterable[Control]) -> Iterator[tuple[Choice, ...]]:
    return product(*(control.choices for control in deciding))
