"""What stands around a page's body: head, header, navigation, table of contents and footer, as text
that is filled in.

A shell is the theme's page (or the small one of a run) with slots. It is cut at its slots once per
language; a page is then its values put between the pieces, which is some thousand pages a second
where a theme renders fifty.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

from site_src.build.head import head
from site_src.minify import slim
from site_src.model import BuildOptions, Heading, NavItem, Page, Words

# private use: no prose has them, and no filter of the theme changes them
_OPEN, _CLOSE = "\ue000", "\ue001"
_SLOT: Final = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]+){_CLOSE}")
_WRITTEN: Final = re.compile(r"""\{\{\s*["']([^"']+)["']\s*\|\s*slot\s*\}\}""")
_COMMENT: Final = re.compile(r"\{#.*?#\}\s*", re.DOTALL)

THEME_WORDS: Final[Mapping[str, str]] = {
    "action.skip": "ui.skip",
    "menu": "ui.menu",
    "header": "ui.header",
    "top": "ui.top",
}
"""The theme's keys for words, and ours."""

TOP: Final = 2
"""Level of a page's first headings below its title."""

MARK: Final = '<span class="ts-logo" aria-hidden="true"></span>'
"""The stone; its picture is in the stylesheet."""

_SCHEME: Final = (  # before anything is painted; what follows the choice is in site.js
    'var t;try{t=localStorage.getItem("ts-theme")}catch(e){}'
    'document.body.dataset.mdColorScheme=t=="dark"||t!="light"&&matchMedia("(prefers-color-scheme:dark)").matches?"slate":"default"'
)


def slot(name: str) -> str:
    """The mark that stands for `name` until a page is filled."""
    return f"{_OPEN}{name}{_CLOSE}"


def read_template(path: Path) -> str:
    """A template of ours outside the theme, its `{{ "name" | slot }}` turned into slots."""
    text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    return _WRITTEN.sub(lambda match: slot(match[1]), text)


@dataclass(frozen=True, slots=True)
class Shell:
    """Text cut at its slots: `pieces` has one more item than `names`, and they take turns."""

    pieces: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def cut(cls, text: str) -> "Shell":
        """Cut a text at its slots."""
        parts = _SLOT.split(text)
        return cls(tuple(parts[::2]), tuple(parts[1::2]))

    def fill(self, values: Mapping[str, str]) -> str:
        """Put a value into each slot; KeyError names a slot without one."""
        out = [self.pieces[0]]
        for name, piece in zip(self.names, self.pieces[1:], strict=True):
            out += (values[name], piece)
        return "".join(out)


def put(text: str, values: Mapping[str, str]) -> str:
    """Fill those slots that have a value; the values may bring slots of their own."""
    return _SLOT.sub(lambda match: values.get(match[1], match[0]), text)


_FOLDER: Final = re.compile(r"""(<a\b[^>]*?\shref="?[^"?#:\s>]*/)(?=["?#\s>])""")


def opening(html: str) -> str:
    """The page with links that end in the file of a page where they named its folder.

    Opened from a disk, without a server, a folder is a list of files. On a server both are the
    page; there `site.js` takes the file's name out of the address that is seen, so that what is
    copied from it is the address that the site promises.
    """
    return _FOLDER.sub(r"\1index.html", html)


@dataclass(frozen=True, slots=True)
class Dressing:
    """What all pages of a site share.

    Attributes:
        locales: In the order in which they are offered.
        nav: Tree of each language.
        files: Paths below site/ of the site's own styles and scripts, by name: `site.css`,
            `site.ja.js`, ...
        options: The build's.
    """

    locales: Sequence[Words]
    nav: Mapping[str, NavItem]
    files: Mapping[str, str]
    options: BuildOptions

    def slots(self, locale: Words) -> dict[str, str]:
        """Paths of styles and scripts by the slots that take them; the script is the language's."""
        own = {name.replace(".", "_"): path for name, path in self.files.items()}
        return own | {"site_js": self.files[f"site.{locale.code}.js"]}


class LanguageShell:
    """The full and the light shell in one language, ready to take pages."""

    def __init__(self, full: str, light: str, locale: Words, dressing: Dressing) -> None:
        self.locale = locale
        self._dressing = dressing
        self._nav = dressing.nav[locale.code]
        self._menus: dict[str, tuple[str, str, str, bool]] = {}
        say = locale.say
        words = {f"t:{key}": escape(say(ours)) for key, ours in THEME_WORDS.items()}
        words |= {
            "t:language": locale.code,
            "t:direction": locale.direction,
            "site_name": escape(say("ui.site_name")),
        }
        files = dressing.slots(locale)
        fragments = {
            "tools": tools(locale, dressing),
            "footer": footer(locale, dressing),
            "short_footer": footer(locale, dressing, sections=False),
            "logo": MARK,
            "home": f"{locale.code}/",
        }
        whole, small = (put(put(text, fragments), words | files) for text in (full, light))
        self._full, self._light = Shell.cut(whole), Shell.cut(slim(small))

    def fill(self, page: Page) -> str:
        """The whole HTML of a page.

        Raises:
            KeyError: The theme has a slot or a word that nothing here fills.
        """
        tabs, links, nav, alone = self._menu(page.section)
        here = f'{slot("near")}{page.path}"'
        near = "../" * page.path.count("/") or "./"
        values = {
            "root": page.root,
            "here": page.path,
            "title": _titled(page.title, page.title_language),
            "head": head(
                page,
                self.locale,
                self._dressing.locales,
                self._dressing.options.base_url,
                self._dressing.files["favicon.svg"],
            ),
            "extra": page.head,
            "nav": _open_at(nav, here, page.toc).replace(slot("near"), near),
            "tabs": tabs.replace(slot("near"), near),
            "links": links.replace(slot("near"), near),
            "nav_class": " data-ts-alone" if alone else "",
            "toc": toc(page.toc, self.locale),
            "toc_hidden": "" if page.toc else " hidden",
            "body": focusable(page.body, self.locale),
            "report": escape(self._dressing.options.report_url(f"{page.language}/{page.path}")),
        }
        return opening((self._light if page.shell == "light" else self._full).fill(values))

    def _menu(self, section: str) -> tuple[str, str, str, bool]:
        """Tabs of the full shell, links of the light one, navigation, and whether the section has
        no pages below it.

        The slot `near` in them is the way to the language's home.
        """
        if section not in self._menus:
            say = self.locale.say
            chosen = next((item for item in self._nav.children if item.section == section), None)
            items = [_item(self._nav, self._nav.section == section, ())]
            items += [
                _item(item, item is chosen, item.children if item is chosen else ())
                for item in self._nav.children
            ]
            title = f'<p class="ts-nav__title">{MARK}{escape(say("ui.site_name"))}</p>'
            nav = (
                f'<nav class="ts-nav" aria-label="{escape(say("ui.nav"))}">{title}<ul>'
                f"{''.join(items)}</ul></nav>"
            )
            tabs, links = [], []
            for item in self._nav.children:
                href, text = f'href="{slot("near")}{item.path}"', escape(item.title)
                active, mark = (
                    (" md-tabs__item--active", ' aria-current="true"')
                    if item is chosen
                    else ("", "")
                )
                tabs.append(
                    f'<li class="md-tabs__item{active}"><a {href} class="md-tabs__link"{mark}>'
                    f"{text}</a></li>"
                )
                links.append(f"<a {href}{mark}>{text}</a>")
            label = escape(say("ui.tabs"))
            self._menus[section] = (
                f'<nav class="md-tabs" aria-label="{label}" data-md-component="tabs"><div '
                'class="md-grid">'
                f'<ul class="md-tabs__list">{"".join(tabs)}</ul></div></nav>',
                f'<nav class="ts-top__nav" aria-label="{label}">{"".join(links)}</nav>',
                nav,
                chosen is None or not chosen.children,
            )
        return self._menus[section]


def _item(item: NavItem, active: bool, children: Sequence[NavItem]) -> str:
    below = (
        f"<ul>{''.join(_item(child, False, child.children) for child in children)}</ul>"
        if children
        else ""
    )
    mark = ' class="ts-nav__item--active"' if active else ""
    return (
        f'<li{mark}><a href="{slot("near")}{item.path}">'
        f"{_titled(item.title, item.language)}</a>"
        f"{below}</li>"
    )


def _titled(title: str, language: str | None) -> str:
    """A title, marked where it is in another language than the page."""
    return (
        escape(title)
        if language is None
        else f'<span lang="{escape(language)}">{escape(title)}</span>'
    )


def _open_at(nav: str, here: str, headings: Sequence[Heading]) -> str:
    """Mark the page in the navigation; its headings below it are for small screens, where there is
    no other table of contents.
    """
    before, found, after = nav.partition(here)
    if not found:
        return nav
    link, end, rest = after.partition("</a>")
    items = "".join(
        f'<li><a href="#{escape(heading.id)}">{escape(heading.text)}</a></li>'
        for heading in headings
        if heading.level == TOP
    )
    below = f'<ul class="ts-nav__toc">{items}</ul>' if items else ""
    return f'{before}{found} aria-current="page"{link}{end}{below}{rest}'


def tools(locale: Words, dressing: Dressing) -> str:
    """Search, theme and language in the header; only the languages work without JavaScript, the
    others show with it.
    """
    say = locale.say
    others = "".join(
        f'<li><a href="{slot("root")}{other.code}/{slot("here")}" hreflang="{other.code}" '
        f'lang="{other.code}"'
        f"{' aria-current=true' if other.code == locale.code else ''}>{escape(other.name)}</a></li>"
        for other in dressing.locales
    )
    return (
        f"<script>{_SCHEME}</script>"
        '<div class="ts-tools"><button class="ts-tool ts-i-search" hidden data-ts-search '
        f'aria-label="{escape(say("ui.search"))}" aria-haspopup="dialog"></button>'
        '<button class="ts-tool ts-i-auto" hidden data-ts-theme></button>'
        '<details class="ts-lang"><summary class="ts-tool ts-i-language" '
        f'aria-label="{escape(say("ui.language"))}: {escape(locale.name)}">'
        f'<span aria-hidden="true">{locale.code.upper()}</span></summary><ul>{others}</ul>'
        "</details></div>"
    )


def script(locale: Words, client: str, code: str) -> str:
    """The site's script in a language: its words first, so that no page has to carry them.

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
    """Links to every section, the feed and the tracker; when the site was built and under which
    terms.

    The light shell has the sections in its header alone: its page should weigh little.
    """
    say, nav = locale.say, dressing.nav[locale.code]
    links = [
        (f"{slot('root')}{locale.code}/{item.path}", item.title)
        for item in nav.children
        if sections
    ]
    links.append((f"{slot('root')}feed.{locale.code}.xml", say("ui.feed")))
    shown = [f'<li><a href="{href}">{escape(title)}</a></li>' for href, title in links]
    if dressing.options.issues and sections:  # a run's page has its own, which names the run
        shown.append(
            f'<li><a href="{slot("report")}" rel="nofollow">{escape(say("ui.report_error"))}</a>'
            "</li>"
        )
    listed = f'<nav aria-label="{escape(say("ui.footer"))}"><ul>{"".join(shown)}</ul></nav>'
    if not sections:
        listed = f'<p><a href="{links[0][0]}">{escape(links[0][1])}</a></p>'
    return (
        f'<footer class="ts-footer"><div class="ts-footer__inner">{listed}'
        f"<p>{escape(say('ui.licence'))} {escape(say('ui.built', date=dressing.options.date))}</p>"
        "</div></footer>"
    )


def toc(headings: Sequence[Heading], locale: Words) -> str:
    """The table of contents as the theme writes it, links within the page."""
    if not headings:
        return ""
    title = escape(locale.say("ui.toc"))
    return (
        f'<nav class="md-nav md-nav--secondary" aria-label="{title}"><label class="md-nav__title" '
        'for="__toc">'
        f'<span class="md-nav__icon md-icon"></span>{title}</label>'
        '<ul class="md-nav__list" data-md-component="toc" data-md-scrollfix>'
        f"{_branches(headings)}</ul></nav>"
    )


def _branches(headings: Sequence[Heading]) -> str:
    out, index = [], 0
    while index < len(headings):
        first = headings[index]
        end = index + 1
        while end < len(headings) and headings[end].level > first.level:
            end += 1
        text = escape(first.text)
        below = headings[index + 1 : end]
        branch = (
            f'<nav class="md-nav" aria-label="{text}"><ul class="md-nav__list">'
            f"{_branches(below)}</ul></nav>"
            if below
            else ""
        )
        link = (
            f'<a href="#{escape(first.id)}" class="md-nav__link"><span class="md-ellipsis">'
            f"{text}</span></a>"
        )
        out.append(f'<li class="md-nav__item">{link}{branch}</li>')
        index = end
    return "".join(out)


def focusable(body: str, locale: Words) -> str:
    """Let the keyboard reach what scrolls sideways: bare tables, as Markdown makes them, and blocks
    of code.
    """
    if "<table>" in body:
        label = escape(locale.say("ui.table_scroll"))
        wrap = (
            f'<div class="ts-table-wrap" tabindex="0" role="region" aria-label="{label}">'
            "<table "
            'class="ts-table">'
        )
        body = re.sub(
            r"<table>(.*?)</table>",
            lambda match: f"{wrap}{match[1]}</table></div>",
            body,
            flags=re.DOTALL,
        )
    return body.replace("<pre><code", '<pre><code tabindex="0"')
