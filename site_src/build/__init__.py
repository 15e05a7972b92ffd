"""From pages to files: the theme is used here and nowhere else, so that it can be replaced here.

mkdocs with its theme renders one page with slots; `build/shell.py` fills it. What was rendered is
kept in the cache under a hash of the settings, the theme's version and our overrides: a build with
nothing of these changed does not even import mkdocs.
"""

import hashlib
import json
import logging
import multiprocessing
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final

from kernels import disk
from kernels.errors import TouchstoneError
from site_src.build import search, sitemap, theme_css
from site_src.build.output import Stage, writing
from site_src.build.shell import Dressing, LanguageShell, script
from site_src.minify import lean
from site_src.model import Asset, BuildOptions, NavItem, Page, Report, Words
from site_src.templates import fill_document
from site_src.templates.slots import slot

HERE: Final = Path(__file__).parents[1]
OVERRIDES: Final = HERE / "overrides"
ASSETS: Final = HERE / "assets"
OWN_FILES: Final = ("site.css", "light.css", "search.js", "favicon.svg")
"""And `site.js`, which is written once a language."""

MANY: Final = 4000
"""Run pages from which processes pay; measured with 2 ms a page."""

_THEME_FILES: Final = ("assets/stylesheets/main.",)
"""What the filled pages use of the theme; the rest (its scripts, search and icons, 2 MB) stays
behind.
"""


class RenderError(TouchstoneError):
    """Pages, navigation or theme do not fit together; names page and language."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The theme's page with slots, and its files."""

    page: str
    assets: tuple[Asset, ...]


def render(
    pages: Iterable[Page],
    assets: Iterable[Asset],
    nav: Mapping[str, NavItem],
    locales: Sequence[Words],
    options: BuildOptions,
    *,
    apart: Callable[[str], Iterable[Page]] | None = None,
) -> Report:
    """Write the site: every page in its language, the assets, and what follows from all pages
    together.

    Args:
        pages: All pages; left alone where `apart` is given.
        assets: All other files.
        nav: Tree of each language.
        locales: In the order in which they are offered.
        options: The build's.
        apart: Makes the pages of one language in a process of its own, `options.jobs` at a time; it
            must be picklable.

    Raises:
        RenderError: A page, heading or navigation item is missing in a language, or two pages have
            one path.
        OutputError: The output folder cannot be written.
    """
    with writing(options.out, incremental=options.incremental) as stage:
        dressed = dress(nav, locales, options)
        trail = fill(pages, dressed, stage) if apart is None else _fill_apart(apart, dressed, stage)
        return finish(trail, assets, dressed, stage)


def pays(runs: int, languages: int, jobs: int) -> bool:
    """Whether a process for each language is worth its start: it reads the records again, which is
    two seconds or so.
    """
    return jobs > 1 and languages > 1 and runs * languages >= MANY


def _fill_apart(
    apart: Callable[[str], Iterable[Page]], dressed: "Dressed", stage: Stage
) -> "Trail":
    """Fill each language in a process of its own."""
    trail = Trail({}, {})
    codes = [locale.code for locale in dressed.dressing.locales]
    workers = min(dressed.dressing.options.jobs, len(codes))
    # Spawned: a fork would inherit the threads of the Parquet reader in whatever state they are.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for other, paths in pool.map(
            _fill_one, repeat(apart), codes, repeat(dressed), repeat(stage)
        ):
            trail.join(other)
            stage.merge(paths)
    return trail


def _fill_one(
    apart: Callable[[str], Iterable[Page]], code: str, dressed: "Dressed", stage: Stage
) -> tuple["Trail", dict[str, bool]]:
    own = Stage(stage.out, stage.aside, stage.keep)
    return fill(apart(code), dressed, own), own.paths


@dataclass(frozen=True, slots=True)
class Dressed:
    """All that filling needs; small enough to be handed to another process."""

    theme: Theme
    light: str
    dressing: Dressing
    own: tuple[Asset, ...]


@dataclass(slots=True)
class Trail:
    """What filling leaves for the files that list all pages: cards of pages, entries of the search,
    by language.
    """

    cards: dict[str, list[sitemap.Card]]
    entries: dict[str, list[search.Entry]]

    def join(self, other: "Trail") -> None:
        """Take over the trail of another process, which had other languages."""
        self.cards |= other.cards
        self.entries |= other.entries


def dress(nav: Mapping[str, NavItem], locales: Sequence[Words], options: BuildOptions) -> Dressed:
    """Get the shells and the site's own files ready."""
    missing = [locale.code for locale in locales if locale.code not in nav]
    if missing:
        raise RenderError(
            f"no navigation for {', '.join(missing)}: pages.nav must give one tree for each "
            "language"
        )
    own = {name: _hashed(name, lean(name, (ASSETS / name).read_bytes())) for name in OWN_FILES}
    code = (ASSETS / "site.js").read_text(encoding="utf-8")
    for locale in locales:
        name = f"site.{locale.code}.js"
        own[name] = _hashed(name, lean(name, script(locale, own["search.js"].path, code).encode()))
    dressing = Dressing(locales, nav, {name: asset.path for name, asset in own.items()}, options)
    return Dressed(
        theme(options.config, options.cache),
        fill_document("light.html", {}),
        dressing,
        tuple(own.values()),
    )


def fill(pages: Iterable[Page], dressed: Dressed, stage: Stage) -> Trail:
    """Fill and put each page, as it comes."""
    shells = {
        locale.code: LanguageShell(dressed.theme.page, dressed.light, locale, dressed.dressing)
        for locale in dressed.dressing.locales
    }
    trail = Trail({}, {})
    for page in pages:
        shell = shells.get(page.language)
        if shell is None:
            raise RenderError(
                f"page {page.file}: language {page.language!r} is not built (built: "
                f"{', '.join(shells)})"
            )
        try:
            html = shell.fill(page)
        except KeyError as error:
            raise RenderError(
                f"page {page.file}: the theme asks for {error}, which shell.py does not fill; add "
                "it there"
            ) from None
        stage.put(page.file, html.encode())
        trail.cards.setdefault(page.language, []).append(sitemap.Card.of(page))
        if page.in_search:
            trail.entries.setdefault(page.language, []).extend(search.entries(page))
    return trail


def finish(trail: Trail, assets: Iterable[Asset], dressed: Dressed, stage: Stage) -> Report:
    """Put the assets and the files that list all pages; hold the languages against each other."""
    locales = dressed.dressing.locales
    _same_pages(trail.cards, locales)
    before = len(stage.paths)
    for asset in assets:
        stage.put(asset.path, asset.content)
    count = len(stage.paths) - before
    listed = sitemap.assets(trail.cards, dressed.dressing, stage.paths)
    for asset in chain(dressed.own, dressed.theme.assets, listed, _indexes(trail, locales)):
        stage.put(asset.path, asset.content)
    gone = tuple(sorted((stage.keep or frozenset()) - stage.paths.keys()))
    return Report(
        pages=sum(map(len, trail.cards.values())),
        languages=tuple(locale.code for locale in locales),
        assets=count,
        written=tuple(sorted(path for path, changed in stage.paths.items() if changed)),
        removed=gone,
    )


def _same_pages(cards: Mapping[str, Sequence[sitemap.Card]], locales: Sequence[Words]) -> None:
    """Every language has the same pages: a page that one lacks is an error, not a fallback to
    another language.
    """
    paths = {locale.code: {card.path for card in cards.get(locale.code, ())} for locale in locales}
    every = set().union(*paths.values())
    for code, own in paths.items():
        lacking = sorted(every - own)
        if lacking:
            other = next(name for name in paths if lacking[0] in paths[name])
            first = repr(lacking[0] or "the home page")
            raise RenderError(
                f"language {code} lacks {len(lacking)} pages that {other} has, the first is {first}"
            )


def _indexes(trail: Trail, locales: Sequence[Words]) -> Iterator[Asset]:
    for locale in locales:
        yield from search.index(locale.code, trail.entries.get(locale.code, []))


def _hashed(name: str, content: bytes) -> Asset:
    """A file of ours under a name that changes with its content, so that a browser may keep it for
    ever.
    """
    stem, _, ending = name.rpartition(".")
    return Asset(f"assets/{stem}.{hashlib.sha256(content).hexdigest()[:8]}.{ending}", content)


def settings(config: Path) -> dict[str, Any]:
    """The `extra` table of the theme's settings: `issues` is the tracker's address.

    Raises:
        RenderError: The file is not there or is no YAML mapping.
    """
    import yaml  # noqa: PLC0415 - with mkdocs, only where the settings are read

    try:
        table = yaml.safe_load(config.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise RenderError(f"{config}: cannot be read: {error}") from None
    extra = table.get("extra") if isinstance(table, dict) else None
    if not isinstance(extra, dict) or not isinstance(extra.get("issues", ""), str):
        raise RenderError(
            f"{config}: wanted a table `extra` with the tracker's address as `issues` (empty for "
            "none)"
        )
    if extra.get("issues") and not extra["issues"].lower().startswith(("https://", "http://")):
        raise RenderError(
            f"{config}: extra.issues is {extra['issues']!r}, wanted an address that begins with "
            "https:// (empty for none)"
        )
    return extra


def theme(config: Path, cache: Path) -> Theme:
    """The theme's page with slots, from the cache where nothing that it depends on has changed."""
    digest = hashlib.sha256()
    for part in (
        *(version(name) for name in ("mkdocs", "mkdocs-material", "jinja2")),
        config.read_text(encoding="utf-8"),
        _source(),
    ):
        digest.update(part.encode() + b"\0")
    folder = cache / "theme" / digest.hexdigest()[:16]
    if not (folder / "files.json").exists():
        built = _build_theme(config)
        with disk.named(folder):
            for asset in (Asset("page.html", built.page.encode()), *built.assets):
                (folder / asset.path).parent.mkdir(parents=True, exist_ok=True)
                disk.put(folder / asset.path, asset.content, durable=False)
            # last: where it stands, the rest is complete
            disk.put(
                folder / "files.json",
                json.dumps([asset.path for asset in built.assets]).encode(),
                durable=False,
            )
        return built
    paths = json.loads((folder / "files.json").read_text(encoding="utf-8"))
    return Theme(
        (folder / "page.html").read_text(encoding="utf-8"),
        tuple(Asset(path, (folder / path).read_bytes()) for path in paths),
    )


def _source() -> str:
    """Our overrides, this file and what trims the stylesheet, as text: whatever makes the theme's
    page.
    """
    parts = [Path(path).read_text(encoding="utf-8") for path in (__file__, theme_css.__file__)]
    parts += [
        f"{path.relative_to(OVERRIDES)}\n{path.read_text(encoding='utf-8')}"
        for path in sorted(OVERRIDES.rglob("*.html"))
    ]
    return "\0".join(parts)


def _build_theme(config: Path) -> Theme:
    """Let mkdocs and the theme build a site of one page; its title becomes the target of the skip
    link.
    """
    with tempfile.TemporaryDirectory(prefix="touchstone-theme-") as name:
        site = Path(name) / "site"
        _build_page(config, Path(name) / "docs", site)
        page = (site / "index.html").read_text(encoding="utf-8")
        paths = sorted(
            path.relative_to(site).as_posix()
            for path in (site / "assets").rglob("*")
            if path.is_file()
        )
        wanted = [
            path for path in paths if path.startswith(_THEME_FILES) and not path.endswith(".map")
        ]
        assets = [_trimmed(path, _without_map((site / path).read_bytes())) for path in wanted]
    assets.append(Asset("assets/LICENCE-mkdocs-material.txt", _licence()))
    for path, asset in zip(wanted, assets, strict=False):
        page = page.replace(path, asset.path)
    return Theme(_mend(page, [asset.path for asset in assets]), tuple(assets))


def _build_page(config: Path, docs: Path, site: Path) -> None:
    # Half the time of a build with nothing changed would be these imports, so they stand where they
    # are needed.
    from mkdocs.commands.build import build  # noqa: PLC0415
    from mkdocs.config import load_config  # noqa: PLC0415
    from mkdocs.plugins import event_priority  # noqa: PLC0415

    logging.getLogger("mkdocs").setLevel(logging.WARNING)
    docs.mkdir()
    (docs / "index.md").write_text("# ts-content\n", encoding="utf-8")
    settings_ = load_config(str(config), docs_dir=str(docs), site_dir=str(site))

    @event_priority(-100)
    def on_env(env: Any, **_: Any) -> Any:  # mkdocs hands over untyped objects
        env.filters["slot"] = slot
        env.filters["url"] = _url
        return env

    def on_page_context(context: Any, **_: Any) -> Any:
        context["base_url"] = slot("root")
        return context

    settings_.plugins.events["env"].append(on_env)
    settings_.plugins.events["page_context"].append(on_page_context)
    build(settings_)


def _licence() -> bytes:
    """Returns the theme's licence, which stands in comments at the head of its own settings."""
    own = files("material").joinpath("templates", "mkdocs_theme.yml").read_text(encoding="utf-8")
    head = own.split("\n\n# Language")[0]
    return (head.replace("# ", "").replace("#\n", "\n") + "\n").encode()


def _url(value: str) -> str:
    """The theme's filter for addresses: from the site's root, which is a slot."""
    return value if value.startswith("#") or "://" in value else slot("root") + value


def _trimmed(path: str, content: bytes) -> Asset:
    """The theme's stylesheet with what our pages need of it, under a name that changes with that;
    another file as it is.
    """
    return (
        _hashed("theme.css", theme_css.trimmed(content.decode()).encode())
        if path.endswith(".css")
        else Asset(path, content)
    )


def _without_map(content: bytes) -> bytes:
    """Drop the pointer to a source map that is not published."""
    lines = content.splitlines(keepends=True)
    return b"".join(
        line
        for line in lines
        if not line.startswith((b"//# sourceMappingURL", b"/*# sourceMappingURL"))
    )


def _mend(page: str, assets: Sequence[str]) -> str:
    """Close what the theme leaves open and no template of ours reaches; a theme that has changed
    there is an error.

    The menu's checkbox gets a name (the keyboard reaches it, see site.css), that of the theme's
    search goes, and the body gets the attribute that charts and styles watch.
    """
    for old, new in (
        (
            'type="checkbox" id="__drawer"',
            f'type="checkbox" id="__drawer" aria-label="{slot("t:menu")}"',
        ),
        (
            '<input class="md-toggle" data-md-toggle="search" type="checkbox" id="__search" '
            'autocomplete="off">',
            "",
        ),
        (
            f'<body dir="{slot("t:direction")}">',
            f'<body dir="{slot("t:direction")}" data-md-color-scheme="default">',
        ),
    ):
        if page.count(old) != 1:
            raise RenderError(
                f"the theme's page has {page.count(old)} places with {old!r}, wanted 1: adapt "
                "render._mend to its version"
            )
        page = page.replace(old, new)
    page = re.sub(r"\n\s*\n", "\n", page.lstrip())
    for path in assets:
        if path.endswith((".css", ".js")) and path not in page:
            raise RenderError(
                f"the theme's page does not use {path}: adapt render._THEME_FILES to its version"
            )
    return page
