"""The command `python build.py`: its options, and the steps of a build."""

import sys

from tqdm import tqdm


def say(text: str) -> None:
    """Print a line for the user."""
    tqdm.write(f"build.py: {text}" if text else "", file=sys.stderr)
