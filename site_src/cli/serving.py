"""Serves the site while one works on it."""

import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence

from site_src.build.serve import serve
from site_src.cli import say
from site_src.cli.arguments import MADE_FROM, ROOT


def serve_and_rebuild(given: Namespace, words: Sequence[str]) -> None:
    """Serve the site until interrupted; on each change of its sources, run the command with `words`
    again.
    """
    again = [word for word in words if word not in {"--serve", "--clean"}]
    command = [sys.executable, str(ROOT / "build.py"), *again]

    def rebuild() -> bool:
        return subprocess.run(command, check=False).returncode == 0  # noqa: S603 - ourselves

    watched = [ROOT / name for name in MADE_FROM] + [given.runs]
    serve(given.out, given.port, watched, rebuild, say)
