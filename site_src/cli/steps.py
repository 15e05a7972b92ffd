"""The steps of `python build.py`: read, draw, write, and other requests."""

import shutil
from argparse import Namespace

from site_src.addresses import editions, ledger
from site_src.cli import cache, messages, say, unchanged
from site_src.cli.arguments import CACHE
from site_src.cli.building import build, freeze, retire, verify
from site_src.cli.inputs import order_of, read
from site_src.cli.unchanged import Seen


def carry_out(given: Namespace, made_from: Seen) -> tuple[str, bool] | None:
    """Follow the options; returns a description of the build, and True if the site is right; None
    if a chart was retired instead.

    `made_from` are the files as they were before any was read.

    Raises:
        TouchstoneError: An input was refused.
        OSError: The disk is full or not writable.
    """
    if given.freeze:
        editions.hold_name(given.runs, given.freeze)  # before the build, which takes longer
    if given.clean:
        shutil.rmtree(CACHE, ignore_errors=True)
    order = order_of(given, unchanged.state(given, made_from), made_from.hashes)
    inputs = read(order)
    said = list(messages.left_out(inputs))
    for line in said:
        say(line)
    if given.retire:
        folder = retire(order, inputs, given.retire, given.why)
        say(messages.retired(given.retire, folder))
        return None
    unchanged.forget(given)
    built = build(order, inputs)
    inputs.evidence.graph.save()
    cache.tidy(CACHE)
    wrote = unchanged.written(given)
    failures = verify(order, inputs) if given.verify else []
    record = given.ledger and not failures
    if record:
        ledger.append(given.runs / ledger.NAME, built.added)
    if given.freeze and not failures:
        say(messages.frozen(given.freeze, freeze(order, inputs, built, given.freeze)))
        again = Namespace(**{**vars(given), "freeze": None, "ledger": False, "clean": False})
        return carry_out(again, unchanged.sources(given))
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
        unchanged.keep(given, made_from, wrote, [*said, *new], site)
    return f"{site} ({messages.changes(given, built, failures)})", not (failures or unrecorded)
