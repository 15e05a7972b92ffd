"""The shell around a page's body: head, header, navigation, table of contents and footer, as text
with slots.

A shell is the theme's page (or the small one of a run). It is cut at its slots once per language; a
page is then its values joined with the pieces, some thousand pages a second, where the theme
renders fifty.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Final

from kernels.reading import Kept
from site_src.build import theme_css
from site_src.build.head import head
from site_src.links import opening
from site_src.minify import shortened, slim
from site_src.model import MENU, Asset, BuildOptions, Heading, NavItem, Page, Words
from site_src.templates import shell
from site_src.templates.slots import Pieces, put, slot

FEW: Final = 12
"""Most pages of a section in the navigation."""

OWN_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "site.css": ("site.css", "figure.css", "chart.css"),
    "light.css": ("light.css", "site.css", "figure.css", "chart.css"),
    "search.js": ("search.js",),
    "favicon.svg": ("favicon.svg",),
}
"""The site's own files and their sources: a page waits for one stylesheet only. The theme's goes
before `site.css`, and `site.js` is written for each language.
"""

STYLES_OF_FEW: Final[Mapping[str, re.Pattern[str]]] = {
    name: re.compile(rf"ts-(?:{parts})(?![a-z])")
    for name, parts in {
        "home.css": "ask|beside|cheapest|home|leaders|rows|says|strip",
        "report.css": "onward|scheme|short|table--audit|told",
        "coverage.css": "coverage",
        "calculator.css": "costs|table--costs",
    }.items()
}
"""Styles of few pages, which contain them, so that others need not load them; by the prefixes of
their classes. There is no word boundary before these: that makes the search twenty times as fast.
"""

THEME_WORDS: Final[Mapping[str, str]] = {
    "action.skip": "ui.skip",
    "menu": "ui.menu",
    "top": "ui.top",
}
"""The theme's keys for words, and ours."""

FIRST: Final = re.compile(r"(costs/|(reports|c)/[^/]+/)?")
"""Pages with which most visits begin. They contain the styles of what is in them: on a phone they
appear up to two thirds of a second sooner. The whole stylesheet follows, for what scripts add and
for the next page.
"""

_OF_FIRST: Final = "<style class=ts-first></style>"
"""Where the styles of such a page come, once all else of it is there."""

TOP: Final = 2
"""Level of a page's first headings below its title."""

_SCHEME: Final = (  # before the first paint; changes of the choice are in site.js
    'var t;try{t=localStorage.getItem("ts-theme")}catch(e){}'
    'document.body.dataset.mdColorScheme=t=="dark"||t!="light"&&matchMedia("(prefers-color-scheme:dark)").matches?"slate":"default"'
)


@dataclass(frozen=True, slots=True)
class Dressing:
    """Data that all pages of a site share.

    Attributes:
        locales: In the order in which they are offered.
        nav: Navigation of each language.
        files: The site's own styles and scripts, by name: `site.css`, `site.ja.js`, ...
        options: The build's.
        styles: Those of `STYLES_OF_FEW`.
    """

    locales: Sequence[Words]
    nav: Mapping[str, NavItem]
    files: Mapping[str, Asset]
    options: BuildOptions
    styles: Mapping[str, str]

    def slots(self, locale: Words) -> dict[str, str]:
        """Paths of styles and scripts by their slots; the script is the language's."""
        own = {name.replace(".", "_"): self.files[name].path for name in OWN_FILES}
        return own | {"site_js": self.files[f"site.{locale.code}.js"].path}


class LanguageShell:
    """The full and the light shell in one language."""

    def __init__(self, full: str, light: str, locale: Words, dressing: Dressing) -> None:
        self.locale = locale
        self._dressing = dressing
        self._nav = dressing.nav[locale.code]
        self._menus: Kept[str, tuple[str, str, bool]] = Kept()
        say = locale.say
        words = {f"t:{key}": escape(say(ours)) for key, ours in THEME_WORDS.items()}
        words |= {
            "t:language": locale.code,
            "t:direction": locale.direction,
            "site_name": escape(say("ui.site_name")),
        }
        files = dressing.slots(locale)
        self._scripted = theme_css.words(dressing.files[f"site.{locale.code}.js"].content.decode())
        fragments = {
            "tools": tools(locale, dressing),
            "footer": footer(locale, dressing),
            "short_footer": footer(locale, dressing, sections=False),
            "logo": shell.logo(),
            "home": f"{locale.code}/",
        }
        whole, small = (put(put(text, fragments), words | files) for text in (full, light))
        self._full, self._light = Pieces.of(whole), Pieces.of(slim(small))

    def fill(self, page: Page) -> str:
        """The complete HTML of a page.

        Raises:
            KeyError: The theme has a slot or a word that nothing here fills.
        """
        links, nav, alone = self._menus.get(page.section, lambda: self._menu(page.section))
        here = f'{slot("near")}{page.path}"'
        near = "../" * page.path.count("/") or "./"
        values = {
            "root": page.root,
            "here": page.path,
            "style": self._style(page),
            "head": head(
                page,
                self.locale,
                self._dressing.locales,
                self._dressing.options.base_url,
                self._dressing.files["favicon.svg"].path,
            ),
            "extra": page.head,
            "nav": _open_at(nav, here, page.toc).replace(slot("near"), near),
            "links": links.replace(slot("near"), near),
            "nav_class": " data-ts-alone" if alone else "",
            "toc": toc(page.toc, self.locale),
            "toc_hidden": "" if page.toc else " hidden",
            "body": shortened(focusable(page.body, self.locale)),
            "report": escape(self._dressing.options.report_url(f"{page.language}/{page.path}")),
        }
        made = opening((self._light if page.shell == "light" else self._full).fill(values))
        if _OF_FIRST not in made:
            return made
        style = self._dressing.files["site.css"].content.decode()
        own = theme_css.met(style, theme_css.words(made) | self._scripted)
        return made.replace(_OF_FIRST, _OF_FIRST.replace("><", f">{own}<"))

    def _style(self, page: Page) -> str:
        own = [
            self._dressing.styles[name]
            for name, parts in STYLES_OF_FEW.items()
            if parts.search(page.body)
        ]
        linked = ""
        if page.shell != "light":
            file = self._dressing.files["site.css"]
            first = FIRST.fullmatch(page.path)
            kind = "prefetch" if first else "stylesheet"
            linked = f'<link rel="{kind}" href="{page.root}{file.path}">'
            linked += _OF_FIRST if first else ""
        return linked + (f"<style>{''.join(own)}</style>" if own else "")

    def _menu(self, section: str) -> tuple[str, str, bool]:
        """Links to the sections, navigation, and True if the section has no pages below it.

        Their slot `near` is the path to the language's home.
        """
        home, near, say = self._nav, slot("near"), self.locale.say
        chosen = next((item for item in home.children if item.section == section), None)
        label = say("ui.sections")
        found = {item.section: item for item in home.children}
        menu = replace(home, children=tuple(found[name] for name in MENU if name in found))
        return (
            str(shell.section_links(menu, chosen, near, label)),
            str(shell.navigation(home, chosen, near, self.locale, home.section == section, FEW)),
            chosen is None or not 0 < len(chosen.children) <= FEW,
        )


def _open_at(nav: str, here: str, headings: Sequence[Heading]) -> str:
    """Mark the page in the navigation, with its headings below it for small screens, which show no
    other table of contents.
    """
    before, found, after = nav.partition(here)
    if not found:
        return nav
    link, end, rest = after.partition("</a>")
    first = [heading for heading in headings if heading.level == TOP]
    below = shell.page_headings(first) if first else ""
    return f'{before}{here} aria-current="page"{link}{end}{below}{rest}'


def tools(locale: Words, dressing: Dressing) -> str:
    """Search, theme and language in the header; without JavaScript only the languages are shown."""
    return shell.tools(locale, dressing.locales, slot("root"), slot("here"), _SCHEME)


def script(locale: Words, client: str, code: str) -> str:
    """The site's script in a language, with its words, so that pages need not contain them.

    Args:
        locale: The language.
        client: Path below site/ of the search's own script.
        code: `assets/site.js`.
    """
    say = locale.say
    words = {name: say(f"ui.search_{name}") for name in ("label", "hint", "loading", "failed")}
    named = (
        "close",
        "copy",
        "copied",
        "copy_table",
        "table_copied",
        "copy_failed",
        "theme_auto",
        "theme_light",
        "theme_dark",
    )
    words |= {name: say(f"ui.{name}") for name in named}
    words |= {
        "count": say("ui.search_count", count="{count}"),
        "none": say("ui.search_none", query="{query}"),
    }
    about = {"language": locale.code, "client": client, "words": words}
    return f"const touchstoneSite = {json.dumps(about, ensure_ascii=False)};\n{code}"


def footer(locale: Words, dressing: Dressing, *, sections: bool = True) -> str:
    """Links to all sections, the feed and the tracker; the build's date and the terms of use.

    The light shell has the sections only in its header: its page should be small.
    """
    say, nav = locale.say, dressing.nav[locale.code]
    links = [
        (f"{slot('root')}{locale.code}/{item.path}", item.title)
        for item in nav.children
        if sections
    ]
    links.append((f"{slot('root')}feed.{locale.code}.xml", say("ui.feed")))
    # a run's page has its own link to the tracker, which names the run
    report = slot("report") if dressing.options.issues and sections else ""
    return shell.footer(links, report, locale, dressing.options.date, sections)


def toc(headings: Sequence[Heading], locale: Words) -> str:
    """The table of contents in the theme's markup."""
    return shell.contents(_branches(headings), locale.say("ui.toc")) if headings else ""


_Branch = tuple[Heading, "list[_Branch]"]


def _branches(headings: Sequence[Heading]) -> list[_Branch]:
    """The headings as a tree, each with the deeper ones that follow it."""
    found: list[_Branch] = []
    index = 0
    while index < len(headings):
        first, start = headings[index], index + 1
        index = start
        while index < len(headings) and headings[index].level > first.level:
            index += 1
        found.append((first, _branches(headings[start:index])))
    return found


def focusable(body: str, locale: Words) -> str:
    """Make scrollable elements reachable by keyboard: bare tables, as Markdown makes them, and
    blocks of code.
    """
    if "<table>" in body:
        label = locale.say("ui.table_scroll")
        body = re.sub(
            r"<table>(.*?)</table>",
            lambda match: shell.scrolling(match[1], label),
            body,
            flags=re.DOTALL,
        )
    return body.replace("<pre><code", '<pre><code tabindex="0"')
