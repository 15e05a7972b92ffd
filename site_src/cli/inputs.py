"""Reads the inputs of a build before it draws anything."""

import hashlib
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tqdm import tqdm

from kernels import catalog, store
from kernels.checks.records import unknown_keys
from kernels.errors import StoreError
from kernels.reading import Named, note
from kernels.records import Run
from kernels.store import Archive
from site_src import locales, pages, templates
from site_src.addresses import editions, retired
from site_src.addresses.editions import Edition
from site_src.build import settings
from site_src.cli.arguments import CACHE, ROOT, STRINGS
from site_src.cli.licences import without_unlicensed
from site_src.evidence import Evidence, inputs, watched
from site_src.graph import Graph, digest, digest_of, know_digest
from site_src.locales import Locale
from site_src.model import BuildOptions
from site_src.reports import prose


@dataclass(frozen=True, slots=True)
class Order:
    """The request for a build; small, so that it can be passed to another process.

    Attributes:
        state: A hash of inputs of the whole site: code, options, versions; empty for a build that
            keeps nothing for the next.
        hashes: Of each file that is read, by path.
    """

    runs: Path
    languages: tuple[str, ...] | None
    options: BuildOptions
    strings: Path = STRINGS
    content: Path = pages.CONTENT
    unlicensed: bool = False
    state: str = ""
    hashes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that was read; `unlicensed` counts the runs left out for want of a licence."""

    evidence: Evidence
    locales: list[Locale]
    retired: list[retired.Retired]
    unlicensed: int = 0
    editions: tuple[Edition, ...] = ()


def order_of(given: Namespace, state: str, hashes: Mapping[str, str]) -> Order:
    """The build that the options request.

    Raises:
        RenderError: The settings of the theme cannot be read.
    """
    config = ROOT / "mkdocs.yml"
    options = BuildOptions(
        built=given.date,
        base_url=given.base_url,
        out=given.out,
        cache=CACHE,
        config=config,
        issues=settings(config).get("issues", ""),
        runtime=given.runtime,
        jobs=given.jobs,
        incremental=not given.clean,
        draft=given.draft,
    )
    return Order(
        given.runs, given.lang, options, unlicensed=given.unlicensed, state=state, hashes=hashes
    )


def read(order: Order) -> Inputs:
    """Read runs, catalogue and words."""
    with tqdm(desc="reading runs", unit=" files", leave=False, disable=None) as bar:

        def advance(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        archive = store.read(order.runs, order.options.cache / "store", advance)
    archive, left_out = (archive, 0) if order.unlicensed else without_unlicensed(archive)
    removed, damaged = retired.read(order.runs)
    kept = editions.read(order.runs)
    archive = replace(archive, problems=(*archive.problems, *damaged))
    if unknown := unknown_keys(archive):
        raise StoreError("\n".join(f"{finding.place}: {finding.text}" for finding in unknown))
    _digests(order, archive)
    archive, known = watched(archive, catalog.load())
    spoken = [
        replace(one, strings=Named(f"string {one.code}", one.strings))
        for one in locales.load(order.strings, order.languages, order.content)
    ]
    graph = _graph(order, Evidence(archive, known), spoken, kept)
    if wrong := graph.get("wrong in texts"):
        raise prose.ProseError("\n".join(wrong))
    return Inputs(
        Evidence(archive, known, graph),
        spoken,
        removed,
        left_out,
        kept,
    )


def _digests(order: Order, archive: Archive) -> None:
    """Set the digest of each run; for unchanged files those of the last build."""
    of: dict[str, dict[str, Run]] = {}
    for run in archive.runs:
        of.setdefault(str(order.runs / archive.files[run.run_id]), {})[run.run_id] = run
    beside = archive.withdrawals, archive.recordings

    def state(path: str) -> str:
        joined = [[one for one in each if one.run_id in of[path]] for each in beside]
        return digest((order.hashes.get(path), list(of[path]), joined))

    def made(path: str) -> dict[str, str]:
        note("recorded", path)
        return {id_: digest_of(run) for id_, run in of[path].items()}

    graph = Graph({"recorded": state}, _made(order, ".runs"), order.state)
    graph.register("digests", made, keep=True)
    for path, runs in of.items():
        for id_, known in graph.get("digests", path).items():
            know_digest(runs[id_], known)
    graph.save()


def _made(order: Order, ending: str = "") -> Path | None:
    """The graph's file for builds of the same kind into the same folder; None keeps nothing."""
    out = hashlib.sha256(str(order.options.out.resolve()).encode()).hexdigest()[:16]
    return order.options.cache / "made" / f"{out}{ending}" if order.state else None


def _graph(
    order: Order, evidence: Evidence, spoken: Sequence[Locale], kept: Sequence[Edition]
) -> Graph:
    """The dependencies recorded by the last build of the same kind into the same folder."""
    digests_of: dict[str, Callable[..., str]] = {
        **inputs(evidence),
        **{one.strings.kind: _text_of(one) for one in spoken if isinstance(one.strings, Named)},
        "template": templates.digest,
        "text": lambda path: hashlib.sha256(Path(path).read_bytes()).hexdigest(),
        "date": order.options.built.isoformat,
        "editions": lambda: digest([(one.name, dict(one.files)) for one in kept]),
        "texts": lambda: digest([(str(path), path.read_bytes()) for path in _texts(order.content)]),
    }
    graph = Graph(digests_of, _made(order), order.state)

    def wrong() -> list[str]:
        note("texts")
        return list(prose.lint(order.content))

    graph.register("wrong in texts", wrong, keep=True)
    return graph


def _texts(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


def _text_of(locale: Locale) -> Callable[..., str]:
    strings = dict(locale.strings)
    return lambda *key: digest(strings.get(*key) if key else strings)
