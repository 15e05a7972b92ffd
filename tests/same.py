"""Whether two states of the repository make the same, byte for byte: `python -m tests.same COMMIT`,
or `make same BASE=COMMIT`.

Both states are checked out into empty folders and asked for the same: the site on one day and from
empty caches, the Parquet files of `import article`, and what the commands print. Uncommitted
changes of tracked files belong to the state of today. Exit 1 where anything differs, with the first
difference of each file; the folders are then kept.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]

DAY: Final = "2026-01-01"
"""The day of both builds."""

SHOWN: Final = 40
"""Files whose difference is printed."""

_WIDE: Final = 160
"""Letters of a line that differs, as printed."""

_COMMAND: Final = re.compile(r"^    (\w+)\b", re.MULTILINE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make both and compare them; 1 where they differ."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.same", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("--lang", help="languages of the site, as in build.py; all by default")
    parser.add_argument("--draft", action="store_true", help="leave out PNG files")
    given = parser.parse_args(arguments)
    build = [
        "build.py",
        "--date",
        DAY,
        "--out",
        "made/site",
        *(["--lang", given.lang] if given.lang else []),
        *(["--draft"] * given.draft),
    ]
    folder = Path(tempfile.mkdtemp(prefix="same-"))
    made = []
    for name, commit in (("base", given.base), ("here", _here())):
        say(f"{name}: {commit}")
        made.append(make(_checkout(commit, folder / name), build))
    found = list(differences(*made))
    say(
        *found[:SHOWN],
        *([f"... and {len(found) - SHOWN} more"] if len(found) > SHOWN else []),
        sep="\n",
    )
    if found:
        say(f"{len(found)} files differ; both states are kept in {folder}")
        return 1
    shutil.rmtree(folder)
    say("the same, byte for byte")
    return 0


def make(tree: Path, build: Sequence[str]) -> Path:
    """Build, import and ask in a checkout; returns the folder of what came out."""
    made = tree / "made"
    made.mkdir()
    _run(tree, made / "build.txt", *build)
    (made / "build.txt").unlink()  # it says how long it took
    articles = [
        str(path.relative_to(tree))
        for path in sorted((tree / "runs" / "sources").iterdir())
        if (path / "runs.csv").exists()
    ]
    for article in articles:
        _run(
            tree,
            made / f"import-{Path(article).name}.txt",
            "-m",
            "kernels",
            "import",
            "article",
            article,
            "--runs",
            "made/runs",
        )
    _run(tree, made / "help-build.txt", "build.py", "--help")
    _run(tree, made / "help.txt", "-m", "kernels", "--help")
    for command in _COMMAND.findall((made / "help.txt").read_text()):
        _run(tree, made / f"help-{command}.txt", "-m", "kernels", command, "--help")
    for command in ("show", "score", "check"):
        _run(tree, made / f"{command}.txt", "-m", "kernels", command)
    return made


def differences(base: Path, here: Path) -> Iterator[str]:
    """Each file that one of two folders lacks or that is not the same in both, with the first line
    that differs.
    """
    old, new = (
        {path.relative_to(top) for path in top.rglob("*") if path.is_file()} for top in (base, here)
    )
    yield from (f"{name}: is gone" for name in sorted(old - new))
    yield from (f"{name}: is new" for name in sorted(new - old))
    for name in sorted(old & new):
        before, after = (base / name).read_bytes(), (here / name).read_bytes()
        if before != after:
            yield f"{name}: {_first(before, after)}"


def _first(before: bytes, after: bytes) -> str:
    try:
        lines = [text.decode().splitlines() for text in (before, after)]
    except UnicodeDecodeError:
        return f"{len(before)} bytes were, {len(after)} bytes are"
    for old, new in zip(*lines, strict=False):
        if old != new:
            at = next(
                (index for index, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
                min(len(old), len(new)),
            )
            start = max(0, at - _WIDE // 4)
            return f"\n  - {old[start : start + _WIDE]}\n  + {new[start : start + _WIDE]}"
    old_more, new_more = (each[min(map(len, lines)) :][:1] for each in lines)
    return (
        "".join(
            f"\n  {sign} {line[:_WIDE]}"
            for sign, more in (("-", old_more), ("+", new_more))
            for line in more
        )
        or "ends of lines"
    )


def _here() -> str:
    """The commit of today's state, uncommitted changes of tracked files with it."""
    return _git("stash", "create") or _git("rev-parse", "HEAD")


def _checkout(commit: str, folder: Path) -> Path:
    folder.mkdir()
    archive = subprocess.run(
        ["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE
    ).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    return folder


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def _run(tree: Path, answer: Path, *words: str) -> None:
    """What a command prints, its own folder left out; its exit code is the last line."""
    fixed = {"COLUMNS": "100", "NO_COLOR": "1"}
    with answer.open("w", encoding="utf-8") as file:
        command = [sys.executable, *words]
        code = subprocess.run(
            command, cwd=tree, env={**os.environ, **fixed}, stdout=file, stderr=file, check=False
        ).returncode
    said = answer.read_text(encoding="utf-8")
    if code and words[0] == "build.py":
        raise SystemExit(f"{tree}: build.py failed\n{said[-3000:]}")
    answer.write_text(f"{said.replace(str(tree), '.')}exit {code}\n", encoding="utf-8")


def say(*parts: object, sep: str = " ") -> None:
    """A line of the answer."""
    print(*parts, sep=sep, flush=True)  # noqa: T201 - the command's answer


if __name__ == "__main__":
    raise SystemExit(main())
