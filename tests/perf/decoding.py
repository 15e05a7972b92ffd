"""Every line of every MLPerf log in a folder, decoded with `json` alone in one process, and nothing
made of it: `python -m tests.perf.decoding FOLDER`. It imports nothing else, as that would count.
"""

import json
import sys
from pathlib import Path

MARK = ":::MLLOG "


def decode(folder: Path) -> None:
    """Decode every line, keep none."""
    for path in sorted(folder.rglob("result_*.txt")):
        with path.open("rb") as file:
            for raw in file:
                _, _, event = raw.decode("utf-8", errors="replace").partition(MARK)
                if event:
                    json.loads(event)


if __name__ == "__main__":
    decode(Path(sys.argv[1]))
