"""Every line of every MLPerf log in a folder, decoded with `json` alone in one process, and nothing
made of it. It imports nothing else, as that would count.
"""

import json
from pathlib import Path

MARK = ":::MLLOG "


def decode(folder: str) -> None:
    """Decode every line, keep none."""
    for path in sorted(Path(folder).rglob("result_*.txt")):
        with path.open("rb") as file:
            for raw in file:
                _, _, event = raw.decode("utf-8", errors="replace").partition(MARK)
                if event:
                    json.loads(event)
