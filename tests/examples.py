"""How many examples a property is tried on: all of them where every test runs, fewer in between."""

from typing import Final

from hypothesis import HealthCheck, settings

ALL: Final = 100
QUICK: Final = 30
"""Of a hundred: what one change breaks, most of them find."""


def load(most: int) -> None:
    """Make it the number for properties that name none."""
    settings.register_profile(
        "touchstone",
        max_examples=most,
        # how long an example takes says how busy the machine is; examples may share a folder
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    settings.load_profile("touchstone")


def tried(most: int) -> int:
    """So many, or the same share of them."""
    return max(1, most * settings().max_examples // ALL)
