"""A chart on another site: in a frame, as an element, and the scripts for both, whose addresses
below `c/` never change.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from markupsafe import Markup

from site_src.charts import markup, pictures
from site_src.charts.drawn import DrawnFigure
from site_src.charts.markup import credit, one_line
from site_src.locales import Locale
from site_src.minify import lean
from site_src.model import Asset
from site_src.templates import charts

_ASSETS: Final = Path(__file__).resolve().parents[1] / "assets"
ELEMENT: Final = "c/touchstone-chart.js"
FRAMES: Final = "c/touchstone-frames.js"
ROOT: Final = "../../"
"""The path from a frame to the site's root."""


def policy(base_url: str) -> str:
    """The frame's Content-Security-Policy: only its own scripts, styles and pictures. In a sandbox
    some versions of WebKit and Firefox do not apply 'self' to its address, so the address is listed
    too.
    """
    own = f"'self' {base_url}".strip()
    return (
        f"default-src 'none'; script-src {own}; style-src {own}; img-src {own}; base-uri "
        "'none'; form-action 'none'"
    )


def frame(drawn: DrawnFigure, scripts: str, still: str) -> bytes:
    """The document of a frame, whose script, with these attributes, shows `data.<lang>.js` beside
    it; `still` is HTML for readers without scripts.
    """
    first = drawn.locales[0]
    spoken = " ".join(locale.code for locale in drawn.locales)
    body = charts.framed(Markup(still), languages(drawn))  # noqa: S704 - HTML
    told = Markup(f'{scripts} data-languages="{spoken}"')  # noqa: S704 - attributes
    return charts.frame(drawn, first, ROOT, policy(drawn.options.base_url), told, body).encode()


def languages(drawn: DrawnFigure) -> Markup:
    """Links to the chart's pages in all languages, for a frame without JavaScript."""
    return charts.languages([(one, home(drawn, one)) for one in drawn.locales])


def home(drawn: DrawnFigure, locale: Locale) -> str:
    """The path from a frame to the chart's own page."""
    return f"{ROOT}{locale.code}/c/{drawn.id}/"


def embed(drawn: DrawnFigure) -> bytes:
    """`embed.html`: the chart in the language, theme and state of its address; without JavaScript
    the first language's picture.
    """
    client = drawn.client
    scripts = f'src="{ROOT}{client["frame.js"]}" data-runtime="{ROOT}{client["runtime"]}"'
    return frame(drawn, scripts, _still(drawn, drawn.locales[0]))


def _still(drawn: DrawnFigure, locale: Locale) -> Markup:
    """The picture for readers without scripts. On a phone the words are text around it: in the
    picture for posts they would shrink.
    """
    figure, drawn_as, named = drawn.figure, drawn.pictures[locale.code], pictures.names(locale.code)
    dark = "(prefers-color-scheme: dark)"
    medias = [
        (f"{markup.PHONE_MEDIA} and {dark}", "phone", f"#{pictures.DARK}"),
        (markup.PHONE_MEDIA, "phone", ""),
        (dark, "svg-dark", ""),
    ]
    return charts.still(
        one_line(figure.headline(locale)),
        home(drawn, locale),
        [
            (media, (f"{named[kind]}{end}", *pictures.size(drawn_as[kind])))
            for media, kind, end in medias
        ],
        (named["svg"], *pictures.size(drawn_as["svg"])),
        figure.headline(locale),
        markup.notes(figure, locale),
        credit(figure, locale, drawn.options.site_name),
    )


def _figure(drawn: DrawnFigure, locale: Locale) -> Markup:
    figure = drawn.figure
    title = figure.heading(locale)
    site = drawn.options.site_name
    return charts.framed_figure(
        figure,
        markup.headline_size(figure.headline(locale)),
        markup.headline(figure, locale),
        title,
        markup.controls(figure, locale)
        + markup.legend(figure, locale)
        + markup.pictures(figure, locale, drawn.pictures[locale.code], ""),
        markup.notes(figure, locale),
        home(drawn, locale),
        locale.say("share.from", title=title, site=site),
        credit(figure, locale, site),
    )


DATA: Final = "(window.touchstoneData??={})[document.currentScript.src]="
"""The beginning of `data.<lang>.js`; two copies of the site on one page each find their own."""


def ascii_json(value: object) -> str:
    """JSON in ASCII for scripts that other sites load, in any encoding."""
    return json.dumps(value, separators=(",", ":"))


def data(drawn: DrawnFigure, locale: Locale) -> bytes:
    """`data.<lang>.js`: the chart's data for pages, frames and the element, as a script."""
    whole = {
        **drawn.common[locale.code],
        **drawn.own[locale.code],
        "dir": locale.direction,
        "html": _figure(drawn, locale),
    }
    return f"{DATA}{ascii_json(whole)};\n".encode()


TABLE: Final = "(window.touchstoneTables??={})[document.currentScript.src]="
"""The beginning of `table.<lang>.js`; the rest is HTML as JSON."""


def table(html: str) -> bytes:
    """`table.<lang>.js`: the chart's table, for pages of the site that load it on demand."""
    return f"{TABLE}{json.dumps(html, ensure_ascii=False)};\n".encode()


def scripts(client: Mapping[str, str], locales: Sequence[Locale]) -> Iterator[Asset]:
    """The scripts for other sites; the element's knows the files of its build."""
    build = {
        "script": client["mount.js"],
        "style": client["frame.css"],
        "runtime": client["runtime"],
        "languages": [locale.code for locale in locales],
        "failed": {locale.code: locale.template("share.not_loaded") for locale in locales},
    }
    yield Asset(
        ELEMENT,
        lean(
            ELEMENT,
            f"{(_ASSETS / 'element.js').read_text('utf-8').rstrip()}({ascii_json(build)});\n".encode(),  # noqa: E501 - one call
        ),
    )
    yield Asset(FRAMES, lean(FRAMES, (_ASSETS / "frames.js").read_bytes()))
