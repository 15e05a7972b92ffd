"""From pages to files. Only this package uses the theme, so that it can be replaced.

mkdocs with its theme renders one page with slots; `build/shell.py` fills it. The rendered page is
cached under a hash of the settings, the theme's version and our overrides: a build that changes
none of these does not even import mkdocs.
"""

import gc
import hashlib
import logging
import pickle
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from tqdm import tqdm

from kernels import disk
from kernels.errors import TouchstoneError
from kernels.reading import Kept, Name
from site_src.build import search, sitemap, theme_css
from site_src.build.output import Stage, writing
from site_src.build.shell import (
    OWN_FILES,
    STYLES_OF_FEW,
    Dressing,
    LanguageShell,
    script,
)
from site_src.graph import Gain, Graph, Items, NotHere
from site_src.minify import lean
from site_src.model import Asset, BuildOptions, Job, NavItem, Page, Report, Words
from site_src.templates import fill_document
from site_src.templates.slots import slot

HERE: Final = Path(__file__).parents[1]
OVERRIDES: Final = HERE / "overrides"
ASSETS: Final = HERE / "assets"


_THEME_STYLE: Final = "assets/stylesheets/main.*.css"
"""The theme's only file that our pages use; the rest (scripts, search and icons, 2 MB) is left
out.
"""


class RenderError(TouchstoneError):
    """Pages, navigation or theme do not match; names page and language."""


@dataclass(frozen=True, slots=True)
class Theme:
    """The theme's page with slots, the styles that our pages need, and its licence."""

    page: str
    style: str
    licence: str


Group = Callable[[], Iterable[Asset]]
"""Files that are made together."""

Apart = tuple[bool, dict[str, bool], dict[str, str], list[Gain]]
"""Result of a forked process: True if it made all, its files with their hashes, its nodes."""

FEW: Final = 3
"""With more parts than this to make, several processes share them."""


def render(  # noqa: PLR0917 - all that a site consists of
    jobs: Iterable[Job],
    groups: Mapping[str, Group],
    nav: Mapping[str, NavItem],
    locales: Sequence[Words],
    options: BuildOptions,
    graph: Graph | None = None,
    first: Sequence[Sequence[Name]] = (),
) -> Report:
    """Write the site: every page in its language, the assets, and the files made from all pages.
    Files whose inputs have not changed since an earlier build stay.

    Args:
        jobs: All pages.
        groups: All other files, by a name for those that are made together.
        nav: Navigation of each language.
        locales: In the order in which they are offered.
        options: The build's.
        graph: Dependencies recorded by earlier builds; None starts anew.
        first: Nodes that many pages use, each with the nodes made with it.

    Raises:
        RenderError: A page, heading or navigation item is missing in a language, or two pages have
            one path.
        OutputError: The output folder cannot be written.
    """
    with writing(options.out, incremental=options.incremental) as stage:
        graph = graph or Graph({})
        press = Press(graph, stage, dress(nav, locales, options, graph), options.jobs)
        paths = press.pages(jobs, groups, first)
        return finish(press, paths)


class Press:
    """Puts pages and files into the new site, newly made or kept from the old one."""

    def __init__(self, graph: Graph, stage: Stage, dressed: "Dressed", processes: int) -> None:
        self.graph, self.stage, self.dressed = graph, stage, dressed
        self._processes = processes if sys.platform == "linux" else 1
        self._jobs: dict[tuple[str, str], Job] = {}
        self._groups: dict[str, Group] = {}
        self._shells: Kept[str, LanguageShell] = Kept()
        graph.register("page", self._page, keep=True, long=True)
        graph.register("card", lambda *page: sitemap.Card.of(graph.get("page", *page)), keep=True)
        graph.register("found", self._found, keep=True)
        graph.register("html", self._html, keep=True)
        graph.register("files", self._files, keep=True)

    def pages(
        self,
        jobs: Iterable[Job],
        groups: Mapping[str, Group],
        first: Sequence[Sequence[Name]] = (),
    ) -> dict[str, list[str]]:
        """Put all pages and groups of files; returns the paths of each language's pages."""
        self._groups |= groups
        self.put_all(first)
        paths: dict[str, list[str]] = {}
        parts: dict[str, list[Name]] = {}
        last: dict[str, list[Name]] = {}
        codes = [locale.code for locale in self.dressed.dressing.locales]
        for job in jobs:
            if job.language not in codes:
                raise RenderError(
                    f"page {job.file}: language {job.language!r} is not built (built: "
                    f"{', '.join(codes)})"
                )
            page = job.language, job.path
            self._jobs[page] = job
            together = last if job.last else parts
            together.setdefault(job.path, [*job.beside]).append(("html", *page))
            paths.setdefault(job.language, []).append(job.path)
        _same_pages(paths, self.dressed.dressing.locales)
        after = {name for names in (*last.values(), *first) for name in names}
        named = [names for names in self.named(groups) if names[0] not in after]
        self.put_all([*parts.values(), *named])
        self.put_all([*last.values()])
        return paths

    def named(self, groups: Mapping[str, Group]) -> list[list[Name]]:
        """Take groups of files; returns the names of their nodes."""
        self._groups |= groups
        return [[("files", name)] for name in groups]

    def put_all(self, parts: Sequence[Sequence[Name]]) -> None:
        """Put pages and groups of files, in several processes if there are many; nodes that share
        most of their inputs go to the same one.
        """
        due = []
        with tqdm(
            total=len(parts), desc="writing", unit=" parts", leave=False, disable=None
        ) as bar:
            for part in parts:
                new = [name for name in part if not self.graph.holds(name)]
                for name in part:
                    if name not in new:
                        self._taken(name)
                if new:
                    due.append(new)
                else:
                    bar.update()
            for _ in self._several(due) if len(due) > FEW else map(self.make, due):
                bar.update()

    def _several(self, due: Sequence[Sequence[Name]]) -> Iterator[None]:
        """Make nodes in forked processes, which share the memory of this one."""
        if self._processes == 1:
            yield from map(self.make, due)
            return
        left = []
        gc.freeze()  # else the collector would write to, and so copy, all shared memory
        try:
            for names, (whole, paths, hashes, gains) in zip(due, self._forked(due), strict=True):
                for path in paths:
                    self.stage.claim(path)
                self.stage.paths |= paths
                self.stage.hashes |= hashes
                self.graph.gain(gains)
                if whole:
                    yield
                else:
                    left.append(names)
        finally:
            gc.unfreeze()
        yield from map(self.make, left)

    def _forked(self, due: Sequence[Sequence[Name]]) -> Iterator[Apart]:
        try:
            with ProcessPoolExecutor(self._processes, get_context("fork"), _begin, (self,)) as pool:
                yield from pool.map(_make, due)
        except BrokenProcessPool:
            raise RenderError(
                "a process that makes pages was killed, most likely for want of memory; build with "
                "--jobs 1"
            ) from None

    def make(self, names: Iterable[Name]) -> None:
        """Make nodes that put files, and the parts of each page that lists of pages use."""
        for name in names:
            self._taken(name)
            if name[0] == "html":
                self.graph.get("card", *name[1:])
                self.graph.get("found", *name[1:])

    def _taken(self, name: Name) -> None:
        if name[0] in {"html", "files"}:
            self._put(*name)
        else:
            self.graph.get(*name)

    def _put(self, *name: str) -> Sequence[tuple[str, str]]:
        """Make files, or keep them if their inputs and they are unchanged."""
        made: Sequence[tuple[str, str]] = self.graph.get(*name)
        if made and made[0][0] not in self.stage.paths:
            for path, hash_ in made:
                if not self.stage.stays(path, hash_):
                    for put, _ in made:
                        self.stage.paths.pop(put, None)
                    made = self.graph.again(*name)
                    break
        return made

    def _page(self, language: str, path: str) -> Page:
        return self._jobs[language, path].make()

    def _found(self, language: str, path: str) -> search.Found | None:
        page = self.graph.get("page", language, path)
        return search.found(page) if page.in_search else None

    def _html(self, language: str, path: str) -> list[tuple[str, str]]:
        """Put a page into its shell; returns its file and hash."""
        dressed = self.dressed
        page: Page = self.graph.get("page", language, path)
        shell = self._shells.get(
            language,
            lambda: LanguageShell(
                dressed.theme.page,
                fill_document("light.html", {}),
                next(one for one in dressed.dressing.locales if one.code == language),
                dressed.dressing,
            ),
        )
        try:
            html = shell.fill(page)
        except KeyError as error:
            raise RenderError(
                f"page {page.file}: the theme asks for {error}, which shell.py does not fill; add "
                "it there"
            ) from None
        files = (Asset(page.file, html.encode()), *page.beside)
        return [(file.path, self.stage.put(file.path, file.content)) for file in files]

    def _files(self, name: str) -> list[tuple[str, str]]:
        return [
            (asset.path, self.stage.put(asset.path, asset.content))
            for asset in self._groups[name]()
        ]


_press: Press
"""The press of a forked process."""


def _begin(press: Press) -> None:
    global _press  # noqa: PLW0603 - tasks of a forked process can reach nothing else
    _press = press
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    press.graph.apart()


def _make(names: Sequence[Name]) -> Apart:
    """Make nodes in a forked process."""
    stage, whole = _press.stage, True
    stage.paths, stage.hashes = {}, {}
    try:
        _press.make(names)
    except NotHere:
        whole = False
    except Exception as error:
        raise _told(error, names) from error
    return whole, stage.paths, stage.hashes, _press.graph.gains()


def _told(error: Exception, names: Sequence[Name]) -> Exception:
    """The error, or its message if it cannot be pickled, as Altair's cannot."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - we wrote it
    except Exception:
        return RenderError(f"{' '.join(names[0])}: {type(error).__name__}: {error}")
    return error


@dataclass(frozen=True, slots=True)
class Dressed:
    """Everything needed to fill pages."""

    theme: Theme
    dressing: Dressing
    own: Mapping[str, Asset]


def dress(
    nav: Mapping[str, NavItem], locales: Sequence[Words], options: BuildOptions, graph: Graph
) -> Dressed:
    """Prepare the shells and the site's own files."""
    missing = [locale.code for locale in locales if locale.code not in nav]
    if missing:
        raise RenderError(
            f"no navigation for {', '.join(missing)}: pages.nav must give one tree for each "
            "language"
        )
    own: Kept[str, Mapping[str, Asset]] = Kept()
    made = theme(options.config, options.cache)
    files = Items(graph, "own file", lambda: own.get("", lambda: _own_files(locales, made)))
    styles = Items(graph, "style of few", _styles_of_few)
    return Dressed(made, Dressing(locales, nav, files, options, styles), files)


def _styles_of_few() -> dict[str, str]:
    return {name: lean(name, (ASSETS / name).read_bytes()).decode() for name in STYLES_OF_FEW}


def _own_files(locales: Sequence[Words], made: Theme) -> dict[str, Asset]:
    """The site's own styles and scripts; the script is one a language."""
    before = {"site.css": made.style.encode()}
    own = {
        name: _hashed(
            name,
            b"".join(
                (
                    before.get(name, b""),
                    *(lean(part, (ASSETS / part).read_bytes()) for part in parts),
                )
            ),
        )
        for name, parts in OWN_FILES.items()
    }
    own["licence"] = Asset("assets/LICENCE-mkdocs-material.txt", made.licence.encode())
    code = (ASSETS / "site.js").read_text(encoding="utf-8")
    for locale in locales:
        name = f"site.{locale.code}.js"
        own[name] = _hashed(name, lean(name, script(locale, own["search.js"].path, code).encode()))
    return own


def finish(press: Press, paths: Mapping[str, Sequence[str]]) -> Report:
    """Put the site's own files and those that list all pages."""
    graph, stage, dressed = press.graph, press.stage, press.dressed
    locales, written = dressed.dressing.locales, frozenset(stage.paths)
    graph.register(
        "for machines", lambda: [path for path, _ in sitemap.MACHINES if path in written]
    )

    def listed() -> Iterable[Asset]:
        cards = {
            code: [graph.get("card", code, path) for path in own] for code, own in paths.items()
        }
        return sitemap.assets(cards, dressed.dressing, graph.get("for machines"))

    def found(code: str) -> Iterable[Asset]:
        pages = (graph.get("found", code, path) for path in paths.get(code, ()))
        return search.index(code, list(filter(None, pages)))

    count = len(stage.paths) - sum(map(len, paths.values()))
    last: dict[str, Group] = {
        "own": dressed.own.values,
        "lists of pages": listed,
    }
    last |= {f"search {locale.code}": partial(found, locale.code) for locale in locales}
    press.put_all(press.named(last))
    gone = tuple(sorted((stage.keep or frozenset()) - stage.paths.keys()))
    return Report(
        pages=sum(map(len, paths.values())),
        languages=tuple(locale.code for locale in locales),
        assets=count,
        written=tuple(sorted(path for path, changed in stage.paths.items() if changed)),
        removed=gone,
    )


def _same_pages(own: Mapping[str, Sequence[str]], locales: Sequence[Words]) -> None:
    """Checks that all languages have the same pages: a missing page is an error; there is no
    fallback to another language.
    """
    paths = {locale.code: set(own.get(locale.code, ())) for locale in locales}
    every = set().union(*paths.values())
    for code, found in paths.items():
        lacking = sorted(every - found)
        if lacking:
            other = next(name for name in paths if lacking[0] in paths[name])
            first = repr(lacking[0] or "the home page")
            raise RenderError(
                f"language {code} lacks {len(lacking)} pages that {other} has, the first is {first}"
            )


def _hashed(name: str, content: bytes) -> Asset:
    """A file under a name that contains its hash, so that browsers may cache it forever."""
    stem, _, ending = name.rpartition(".")
    return Asset(f"assets/{stem}.{hashlib.sha256(content).hexdigest()[:8]}.{ending}", content)


def settings(config: Path) -> dict[str, Any]:
    """The `extra` table of the theme's settings: `issues` is the tracker's address.

    Raises:
        RenderError: The file is missing or is not a YAML mapping.
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
    """The theme's page with slots, cached until an input changes."""
    digest = hashlib.sha256()
    for part in (
        *(version(name) for name in ("mkdocs", "mkdocs-material", "jinja2")),
        config.read_text(encoding="utf-8"),
        _source(),
    ):
        digest.update(part.encode() + b"\0")
    folder = cache / "theme" / digest.hexdigest()[:16]
    # the page last: once it exists, the rest is complete
    names = ("theme.css", "licence.txt", "page.html")
    if not (folder / "page.html").exists():
        built = _build_theme(config)
        texts = (built.style, built.licence, built.page)
        with disk.named(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for name, text in zip(names, texts, strict=True):
                disk.put(folder / name, text.encode(), durable=False)
        return built
    style, licence, page = ((folder / name).read_text(encoding="utf-8") for name in names)
    return Theme(page, style, licence)


def _source() -> str:
    """Everything from which the theme's page is made, as text: our overrides, this file, the code
    that trims the stylesheet, and the variables that our styles use.
    """
    parts = [Path(path).read_text(encoding="utf-8") for path in (__file__, theme_css.__file__)]
    parts += [
        f"{path.relative_to(OVERRIDES)}\n{path.read_text(encoding='utf-8')}"
        for path in sorted(OVERRIDES.rglob("*.html"))
    ]
    return "\0".join((*parts, *sorted(_asked_for())))


def _asked_for() -> set[str]:
    """The theme's variables that our own styles use."""
    styles = (path.read_text(encoding="utf-8") for path in ASSETS.glob("*.css"))
    return set().union(*map(theme_css.asked_for, styles))


def _build_theme(config: Path) -> Theme:
    """Let mkdocs and the theme build a site of one page; its title becomes the target of the skip
    link.
    """
    with tempfile.TemporaryDirectory(prefix="touchstone-theme-") as name:
        site = Path(name) / "site"
        _build_page(config, Path(name) / "docs", site)
        page = (site / "index.html").read_text(encoding="utf-8")
        styles = [path.read_text(encoding="utf-8") for path in site.glob(_THEME_STYLE)]
    if len(styles) != 1:
        raise RenderError(
            f"the theme has {len(styles)} files {_THEME_STYLE}, wanted 1: adapt "
            "render._THEME_STYLE to its version"
        )
    return Theme(_mend(page), theme_css.trimmed(styles[0], _asked_for()), _licence())


def _build_page(config: Path, docs: Path, site: Path) -> None:
    # imported here: else these imports would take half the time of a build without changes
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


def _licence() -> str:
    """The theme's licence, from the comments at the top of its settings."""
    own = files("material").joinpath("templates", "mkdocs_theme.yml").read_text(encoding="utf-8")
    head = own.split("\n\n# Language")[0]
    return head.replace("# ", "").replace("#\n", "\n") + "\n"


def _url(value: str) -> str:
    """The theme's filter for addresses: relative to the site's root, which is a slot."""
    return value if value.startswith("#") or "://" in value else slot("root") + value


def _mend(page: str) -> str:
    """Fix parts of the theme's page that our templates cannot reach; an error if the theme has
    changed there.

    The menu's checkbox gets a name (the keyboard reaches it, see site.css), the name of the theme's
    search is removed, and the body gets the attribute that charts and styles watch.
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
    return re.sub(r"\n\s*\n", "\n", page.lstrip())
