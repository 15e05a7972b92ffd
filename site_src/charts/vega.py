"""From Altair to the browser: a figure compiled to Vega once, with lists of places that each choice
and the dark page set in it, so that the browser needs no Vega-Lite.
"""

import hashlib
import json
import os
import pathlib
import pickle
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from typing import Any, Final

import vl_convert

from kernels import disk
from kernels.reading import Name, Named, note_all, noting
from site_src.figures import fonts
from site_src.figures import theme as themes
from site_src.figures.base import PHONE, WIDE, Figure, unchecked
from site_src.figures.controls import State
from site_src.figures.marks.rows import HOLDER
from site_src.figures.theme import Theme
from site_src.figures.wording import Wording, in_each
from site_src.figures.written import FigureError
from site_src.graph import UNREADABLE, NotHere, forked, needs_threads
from site_src.locales import Locale
from site_src.tables import Row

VEGA_LITE: Final = "6.4"

Path = tuple[str | int, ...]
Patch = list[tuple[Path, object]]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A figure in one language, for the browser and for pictures.

    Attributes:
        lite: Vega-Lite with its data, light, in the default state, for download.
        spec: Vega for the browser, light, in the default state, its dataset `rows` empty.
        dark: Places to set for a dark page.
        patches: For states that differ from the default, the choices they need and the places to
            set; later ones win.
        pictures: Vega with data by name: `wide`, `phone`, both light.
        presets: Likewise the wide picture of each preset.
    """

    lite: dict[str, Any]
    spec: dict[str, Any]
    dark: Patch
    patches: list[tuple[dict[str, str], Patch]]
    pictures: dict[str, dict[str, Any]]
    presets: dict[str, dict[str, Any]]


def vega(specification: Mapping[str, Any], *, empty: bool = False) -> dict[str, Any]:
    """Vega-Lite compiled to Vega, with `empty` without rows. The compiler gets no rows: its output
    does not depend on them.
    """
    rows = specification["data"]["values"]
    bare = {**specification, "data": {**specification["data"], "values": []}}
    needs_threads()
    compiled: dict[str, Any] = vl_convert.vegalite_to_vega(bare, vl_version=VEGA_LITE)
    _dataset(compiled)["values"] = [] if empty else rows
    for legend in compiled.get("legends", ()):
        if isinstance(legend.get("symbolFillColor"), dict):
            # Vega-Lite empties the symbols of outlined marks, even with a fill by expression
            legend.get("encode", {}).get("symbols", {}).get("update", {}).pop("fill", None)
    return compiled


def lite(
    figure: Figure,
    locale: Locale,
    theme: Theme,
    state: State,
    *,
    width: int,
    interactive: bool,
    validate: bool = False,
    words: Wording | None = None,
) -> dict[str, Any]:
    """The figure's Vega-Lite in that language, or in `words` of several; validated if asked, which
    one state suffices for.
    """
    rows = figure.rows(locale, state)
    chart = figure.chart(
        locale, theme, state, width=width, interactive=interactive, rows=rows, words=words
    )
    made: dict[str, Any] = chart.to_dict(validate=validate)
    made["data"]["values"] = [dict(row) for row in rows]
    return made


def _dataset(compiled: dict[str, Any]) -> dict[str, Any]:
    for data in compiled["data"]:
        if data["name"] == "rows":
            found: dict[str, Any] = data
            return found
    raise FigureError(
        "the compiled chart has no dataset 'rows' but "
        f"{[data['name'] for data in compiled['data']]}; hand it in as Figure.chart does"
    )


def prepare(figure: Figure, locales: Sequence[Locale], cache: pathlib.Path) -> dict[str, Compiled]:
    """The figure compiled, by language; from the cache if nothing has changed."""
    paths = {locale.code: cache / "charts" / f"{_key(figure, locale)}.pickle" for locale in locales}
    found = {code: kept for code, path in paths.items() if (kept := _kept(path)) is not None}
    due = [locale for locale in locales if locale.code not in found]
    kinds = {one.strings.kind for one in locales if isinstance(one.strings, Named)}
    specifications = Specifications(figure, due)
    with noting() as reads:  # the first language compiles for all that look the same
        made = {one.code: compile_figure(figure, one, specifications) for one in due}
    words = frozenset(read for read in reads if read[0] in kinds)
    for code, compiled in made.items():
        found[code] = compiled, words
        _keep(found[code], paths[code])
    for _, said in found.values():
        # a figure compiled together with languages that are not built now has their words too
        note_all(frozenset(word for word in said if word[0] in kinds))
    return {code: compiled for code, (compiled, _) in found.items()}


Saying = tuple[Compiled, frozenset[Name]]
"""A compiled figure with the words read for it: its users depend on them too."""


def _kept(path: pathlib.Path) -> Saying | None:
    """The cached value; the file's time records its use."""
    try:
        os.utime(path)
        made, words = pickle.loads(path.read_bytes())  # noqa: S301 - we wrote it
    except (OSError, *UNREADABLE):
        return None
    return (made, words) if isinstance(made, Compiled) else None


def _keep(made: Saying, path: pathlib.Path) -> None:
    # what its specifications share, mainly rows, stays one object
    with disk.named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        disk.put(path, pickle.dumps(made, 5), durable=False)


def _key(figure: Figure, locale: Locale) -> str:
    parts = [_code(), _words(locale), figure.id, figure.records(locale), repr(figure.series)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


@cache
def _code() -> str:
    """A hash of the code and the tools, read once for all figures."""
    here = pathlib.Path(__file__)
    code = sorted(
        [
            *(
                path
                for name in ("figures", "questions")
                for path in (here.parents[1] / name).rglob("*.py")
            ),
            here,
        ]
    )
    parts = [
        version("altair"),
        version("vl-convert-python"),
        VEGA_LITE,
        *(path.read_text("utf-8") for path in code),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


_hashed_words: Final[dict[int, tuple[Locale, str]]] = {}


def _words(locale: Locale) -> str:
    """Kept with the locale itself, since a test's languages may share a code."""
    if id(locale) not in _hashed_words:
        with noting():  # a figure depends only on the words that it uses
            parts = [locale.code, dict(locale.strings), locale.d3()]
        _hashed_words[id(locale)] = (
            locale,
            hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest(),
        )
    return _hashed_words[id(locale)][1]


_checked: Final[set[str]] = set()
"""Questions with a chart already checked against the schema, which takes longer than drawing."""


class Specifications:
    """A figure's specifications, drawn and compiled once for all languages that look the same."""

    def __init__(self, figure: Figure, locales: Sequence[Locale]) -> None:
        self._figure = figure
        self._locales = locales
        self._made: dict[str, dict[str, str]] = {}
        self._checked = figure.key in _checked
        _checked.add(figure.key)

    def of(
        self, locale: Locale, state: State, *, width: int = WIDE, interactive: bool = False
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Vega-Lite and Vega of a state, light."""
        key = json.dumps([dict(state), width, interactive])
        if key not in self._made:
            draw = partial(self._draw, state=state, width=width, interactive=interactive)
            self._made[key] = {one.code: made for one, made in in_each(draw, self._locales)}
        made, compiled = json.loads(self._made[key][locale.code])
        return made, compiled

    def _draw(
        self, words: Wording, locale: Locale, *, state: State, width: int, interactive: bool
    ) -> str:
        """Vega-Lite and Vega as JSON; the first chart of a question in its first state is checked
        against the schema.
        """
        first = not self._checked and not state and not interactive and width == WIDE
        with nullcontext() if first else unchecked():
            made = lite(
                self._figure,
                locale,
                "light",
                state,
                width=width,
                interactive=interactive,
                validate=first,
                words=words,
            )
        made["data"]["values"] = []
        return json.dumps([made, vega(made, empty=True)], ensure_ascii=False)


def compile_figure(
    figure: Figure, locale: Locale, specifications: Specifications | None = None
) -> Compiled:
    """The figure compiled, with its patches and its pictures.

    Raises:
        FigureError: A choice changes the structure where the dark page changes a colour, so that
            both could not be set.
    """
    drawn = specifications or Specifications(figure, [locale])

    def draw(state: State) -> dict[str, Any]:
        return drawn.of(locale, state, interactive=True)[1]

    looks = [series.look for series in figure.series]
    rows = figure.rows(locale, {})
    specification, wide = drawn.of(locale, {})
    specification["data"]["values"] = rows
    _, phone = drawn.of(locale, {}, width=PHONE)
    pictures = {"wide": _with_rows(wide, rows), "phone": _with_rows(phone, rows)}
    spec = draw({})
    dark = differences(spec, themes.darken(spec, looks))
    patches = _patches(figure, locale, spec, draw)
    patches += list(_titles(figure, locale, spec, patches))
    _hold_dark(figure, dark, patches)
    return Compiled(
        specification,
        spec,
        dark,
        [(state, patch) for state, patch in patches if patch],
        pictures,
        _presets(figure, locale, pictures["wide"], drawn),
    )


def _patches(
    figure: Figure, locale: Locale, spec: dict[str, Any], draw: Callable[[State], dict[str, Any]]
) -> list[tuple[dict[str, str], Patch]]:
    patches: list[tuple[dict[str, str], Patch]] = []
    for state in states(figure):
        if "view" in state and any("view" in other for other, _ in patches):
            # baselines differ only in the axis title
            first, patch = next((other, patch) for other, patch in patches if "view" in other)
            words = {figure.axis_title(locale, first): figure.axis_title(locale, state)}
            patches.append((state, [(path, words.get(str(value), value)) for path, value in patch]))
        else:
            patches.append((dict(state), differences(spec, draw(state))))
    return patches


def _hold_dark(
    figure: Figure, dark: Patch, patches: Sequence[tuple[dict[str, str], Patch]]
) -> None:
    for state, patch in patches:
        replaced = [path for path, _ in patch]
        for path, _ in dark:
            if any(path[: len(other)] == other for other in replaced):
                raise FigureError(
                    f"{figure.id}: {state} and the dark theme both change "
                    f"{'.'.join(map(str, path))}; draw it the same in both"
                )


def _with_rows(compiled: dict[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    _dataset(compiled)["values"] = rows
    return compiled


def _presets(
    figure: Figure, locale: Locale, first: dict[str, Any], specifications: Specifications
) -> dict[str, dict[str, Any]]:
    """The wide picture of each preset, which must differ from all others; `first` is that of the
    chart.

    Raises:
        FigureError: Two pictures with different names are the same.
    """
    found = {"": first}
    for preset in figure.presets:
        _, bare = specifications.of(locale, preset.state)
        drawn = _with_rows(bare, figure.rows(locale, preset.state))
        for name, other in found.items():
            if other == drawn:
                raise FigureError(
                    f"{figure.id}: the preset {preset.id!r} looks as "
                    f"{repr(name) if name else 'the chart at first'}; take it away"
                )
        found[preset.id] = drawn
    return {name: drawn for name, drawn in found.items() if name}


def _titles(
    figure: Figure,
    locale: Locale,
    spec: dict[str, Any],
    patches: Sequence[tuple[dict[str, str], Patch]],
) -> Iterator[tuple[dict[str, str], Patch]]:
    """Titles of the value axis that depend on both measure and scale."""
    for scale, scaled in [(state, patch) for state, patch in patches if "scale" in state]:
        for state, patch in patches:
            both = {**state, **scale}
            said, right = figure.axis_title(locale, scale), figure.axis_title(locale, both)
            if "scale" not in state and said != right:
                yield (
                    both,
                    [
                        (path, right)
                        for path in places_of(patched(patched(spec, patch), scaled), said)
                    ],
                )


def places_of(node: Any, text: str, path: Path = ()) -> Iterator[Path]:
    """The places of a text in a specification."""
    if node == text:
        yield path
    elif isinstance(node, dict | list):
        for key, inner in node.items() if isinstance(node, dict) else enumerate(node):
            yield from places_of(inner, text, (*path, key))


def states(figure: Figure) -> Iterator[dict[str, str]]:
    """Each single change from the default; relative values come with each baseline."""
    for control in figure.controls:
        for choice in control.choices[1:]:
            yield {control.key: choice.value}
    if figure.relative:
        for series in figure.baselines:
            yield {"view": "relative", "baseline": series.id}
    for scale in figure.scales[1:]:
        yield {"scale": scale}


def differences(old: Any, new: Any, path: Path = ()) -> Patch:
    """Places where `new` differs, and its values there; None removes a key."""
    if isinstance(old, dict) and isinstance(new, dict):
        found: Patch = []
        for key in [*old, *(key for key in new if key not in old)]:
            found += (
                [((*path, key), None)]
                if key not in new
                else differences(old.get(key), new[key], (*path, key))
            )
        return found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [
            change
            for index, pair in enumerate(zip(old, new, strict=True))
            for change in differences(*pair, (*path, index))
        ]
    return [] if old == new and type(old) is type(new) else [(path, new)]


def patched(spec: dict[str, Any], patch: Patch) -> dict[str, Any]:
    """A copy with the places set, as in the browser."""
    copy = deepcopy(spec)
    for path, value in patch:
        place: Any = copy
        for step in path[:-1]:
            place = place[step]
        if value is None:
            place.pop(path[-1], None)
        else:
            place[path[-1]] = value
    return copy


_TAG = re.compile(r"<[^>]*>")
_GEOMETRY = re.compile(
    r'(?<=\s)(?:d|transform|points|x|y|x1|y1|x2|y2|cx|cy|r|width|height|viewBox)="[^"]*"'
)
_LONG = re.compile(r"\d+\.\d{2,}")


def svg(specification: dict[str, Any], locale: Locale) -> str:
    """A picture with the numbers of the language, the same however many a process has drawn."""
    register()
    formats = locale.d3()
    needs_threads()
    drawn: str = vl_convert.vega_to_svg(
        specification, format_locale=formats["number"], time_format_locale=formats["time"]
    )
    return rounded(recounted(apart(drawn)))


def apart(drawn: str) -> str:
    """The picture without the letters that hold spaces, its texts separate for copying."""
    return drawn.replace(HOLDER, "").replace("</text>", "</text> ")


_CUT = re.compile(r'(?<=[#"])clip\d+(?=[)"])')


def recounted(drawn: str) -> str:
    """The picture with its clip paths numbered in its own order."""
    names: dict[str, str] = {}

    def own(cut: re.Match[str]) -> str:
        return names.setdefault(cut[0], f"clip{len(names)}")

    return _TAG.sub(lambda tag: _CUT.sub(own, tag[0]), drawn) if "clip-path=" in drawn else drawn


def rounded(drawn: str) -> str:
    """The picture with its coordinates, but not its texts, to one decimal."""

    def short(number: re.Match[str]) -> str:
        return f"{float(number[0]):.1f}".rstrip("0").rstrip(".")

    def geometry(attribute: re.Match[str]) -> str:
        return _LONG.sub(short, attribute[0])

    return _TAG.sub(lambda tag: _GEOMETRY.sub(geometry, tag[0]), drawn)


COLOUR: Final = re.compile(r'(?<=\s)(fill|stroke)="([^"]*)"')
"""Paint of a shape in a picture."""


def recoloured(drawn: str, colours: Mapping[str, str]) -> str:
    """The picture in other colours, byte for byte as Vega would draw it."""

    def other(paint: re.Match[str]) -> str:
        return f'{paint[1]}="{colours.get(paint[2], paint[2])}"'

    return _TAG.sub(lambda tag: COLOUR.sub(other, tag[0]), drawn)


_registered: list[pathlib.Path] = []
_cut_down: list[pathlib.Path] = []
"""The folder with the font of forked processes, which has the letters of most charts."""


def cut_down(folder: pathlib.Path) -> None:
    """Makes processes forked from here on draw with this font, which opens fast."""
    _cut_down[:] = [folder]


def register() -> None:
    """Loads this process's fonts, once."""
    if not _registered:
        needs_threads()
        _registered.append(_cut_down[0] if _cut_down and forked() else fonts.folder())
        with fonts.alone():
            # the first call with fonts also searches for those of the machine
            vl_convert.register_font_directory(str(_registered[0]))


def hold_letters(letters: frozenset[str]) -> None:
    """Draws these letters with the fonts of this process, or refuses.

    Raises:
        NotHere: Its font lacks some of these letters.
    """
    register()
    if forked() and fonts.left_out(letters, _registered[0]):
        raise NotHere


def columns_used(spec: Mapping[str, Any], names: list[str]) -> list[str]:
    """The columns of a table that a compiled specification names."""
    text = json.dumps(spec)
    return [
        name
        for name in names
        if name in text and re.search(rf"(?<![A-Za-z_]){re.escape(name)}(?![A-Za-z_])", text)
    ]
