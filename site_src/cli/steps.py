"""The steps of `python build.py`: read, draw and write, and what is asked for beside that."""

import shutil
from argparse import Namespace

from site_src.addresses import ledger
from site_src.cli import messages, say, unchanged
from site_src.cli.arguments import CACHE
from site_src.cli.building import build, retire, verify
from site_src.cli.inputs import order_of, read


def carry_out(given: Namespace) -> tuple[str, bool]:
    """Do what the options say; returns what was done, and whether the site holds.

    Raises:
        TouchstoneError: An input was refused.
        OSError: The disk is full, or lets nobody write.
    """
    if given.clean:
        shutil.rmtree(CACHE, ignore_errors=True)
    made_from = unchanged.sources(given)
    order = order_of(given)
    inputs = read(order)
    said = list(messages.left_out(inputs))
    for line in said:
        say(line)
    if given.retire:
        folder = retire(order, inputs, given.retire, given.why)
        return messages.retired(given.retire, folder), True
    built = build(order, inputs)
    failures = verify(order, inputs) if given.verify else []
    record = given.ledger and not failures
    if record:
        ledger.append(given.runs / ledger.NAME, built.added)
    new = list(messages.added(given, built.added, recorded=record))
    unrecorded = bool(built.added and given.verify and given.base_url and not given.ledger)
    for line in (
        *(f"verify: {failure}" for failure in failures),
        *new,
        *([messages.UNRECORDED] if unrecorded else []),
    ):
        say(line)
    site = messages.site(inputs, built)
    if not failures and not record:  # else the ledger has changed since it was read
        unchanged.keep(given, made_from, [*said, *new], site)
    return f"{site} ({messages.changes(given, built, failures)})", not (failures or unrecorded)
