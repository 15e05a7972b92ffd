"""A disk that fills up after a number of writes, the next one being cut in its middle."""

import errno
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest


def after(writes: int, patch: pytest.MonkeyPatch) -> None:
    """Let that many writes to files that are opened by their path succeed, of the whole process."""
    left = [writes]
    opened = Path.open

    def limited(path: Path, *args: Any, **options: Any) -> Any:
        file = opened(path, *args, **options)
        return file if "r" in (args[0] if args else options.get("mode", "r")) else _file(file, left)

    patch.setattr(Path, "open", limited)


def _file(file: Any, left: list[int]) -> Any:
    write = file.write

    def limited(content: Any) -> int:
        if left[0] == 0:
            write(content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= 1
        return int(write(content))

    fake = MagicMock(wraps=file)
    fake.__enter__.return_value = fake
    fake.__exit__.side_effect = lambda *_: file.close()
    fake.write.side_effect = limited
    return fake
