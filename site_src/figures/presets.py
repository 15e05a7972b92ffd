"""What is said of a figure's presets: their names, and title and sentence of their pictures."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from site_src.figures.base import Figure, FigureError
from site_src.figures.columns import present
from site_src.figures.controls import Preset
from site_src.locales import Locale


def listed(figures: Iterable[Figure]) -> Iterator[str]:
    """Every preset with an address, as `<chart>/<preset>`."""
    return (f"{figure.id}/{preset.id}" for figure in figures for preset in figure.presets)


def label(figure: Figure, preset: Preset, locale: Locale) -> str:
    """What it is called: a string of the figure's or of all figures; else each choice that it makes, and of what."""
    base = figure.baseline(preset.state)
    for key in (f"figure.{figure.key}.preset.{preset.id}", f"preset.{preset.id}"):
        if key in locale.strings:
            return locale.say(key, **({"baseline": base.label} if base is not None else {}))
    chosen = [
        locale.say("join.colon", what=locale.say(f"control.{control.key}"), text=control.said(locale, preset.state))
        for control in figure.controls
        if control.key in preset.state
    ]
    if not chosen:
        raise FigureError(f"{figure.id}: the preset {preset.id!r} has no name; add preset.{preset.id} to {locale.path}")
    return " · ".join(chosen)


def caption(figure: Figure, preset: Preset, locale: Locale) -> str:
    """The title of its picture, which says the state in words."""
    title = figure.caption(locale, preset.state)
    alone = figure.titled is not None and set(preset.state) == {figure.titled.key}
    return title if alone else locale.say("join.paren", text=title, note=label(figure, preset, locale))


def alt(figure: Figure, preset: Preset, locale: Locale) -> str:
    """What its picture says: its own sentence, or from where to where its figures reach.

    The headline speaks of the first picture. Only curves, whose figures are too many, have it, as what is said of their data.
    """
    if preset.sentence is not None:
        return replace(figure, sentence=preset.sentence).headline(locale)
    title = caption(figure, preset, locale)
    if "along" in figure.fields:
        return locale.say("figure.preset_headline", title=title, headline=figure.headline(locale))
    rows = figure.rows(locale, preset.state)
    # of rows below each other that have one name the first alone bears it
    named: list[str] = []
    for row in rows:
        named.append(str(row["name"]) or named[-1])
    read = [(float(str(row["value"])), str(row["text"]), name) for row, name in zip(rows, named, strict=True) if present(row["value"])]
    axis = figure.axis_title(locale, preset.state)
    if not read:
        return locale.say("figure.preset_none", title=title, axis=axis)
    low, high = min(read), max(read, key=lambda one: one[0])
    told = {"title": title, "axis": axis, "low": low[1], "first": low[2]}
    if low[0] == high[0]:
        return locale.say("figure.preset_alike", **told)
    if low[2] == high[2]:
        return locale.say("figure.preset_within", **told, high=high[1])
    return locale.say("figure.preset_range", **told, high=high[1], last=high[2])
