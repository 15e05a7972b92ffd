"""What a build answers for: whatever was published is there, under its id, under a new one, or as
the last version of what was removed.
"""

from collections.abc import Sequence
from pathlib import Path

from site_src.addresses import ledger, moved, retired
from site_src.addresses.ledger import Entry
from site_src.addresses.moved import Move, Ways
from site_src.addresses.retired import Retired
from site_src.figures import presets
from site_src.pages.components import badges
from site_src.pages.components.site import Site


def hold(
    path: Path, site: Site, gone: Sequence[Retired], moves: Sequence[Move]
) -> tuple[list[Entry], Ways]:
    """Hold what is built against what was published; what the ledger at `path` does not have yet,
    and where renamed ids lead.

    Args:
        path: The ledger.
        site: What is built.
        gone: Charts that were removed.
        moves: Ids that were renamed.

    Raises:
        RetireError: A chart was removed and is still built.
        MovedError: A renamed id leads nowhere, or was never published.
        LedgerError: Something that was published is gone.
    """
    charts = list(site.figures)
    retired.hold(gone, charts)
    moved.hold(moves, {(entry.kind, entry.id) for entry in ledger.read(path)}, path)
    built = {
        "chart": charts,
        "preset": list(presets.listed(one.figure for one in site.figures.values())),
        "badge": badges.ids(site),
    }
    last = [f"{one.id}/{name}" for one in gone for name in one.states]
    led = ways(site, gone, moves)
    forwarded = [
        f"{old}{id_.removeprefix(new)}"
        for old, new in led["chart"].items()
        for id_ in [*built["preset"], *last]
        if id_.startswith(f"{new}/")
    ]
    kept = {
        "chart": [*(one.id for one in gone), *led["chart"]],
        "preset": [*last, *forwarded],
        "badge": list(led["badge"]),
    }
    verdicts = [
        (claim.claim_id, str(site.facts.judgement(claim.claim_id).verdict))
        for claim in site.archive.claims
    ]
    return ledger.hold(path, built, verdicts, site.options.date, kept), led


def ways(site: Site, gone: Sequence[Retired], moves: Sequence[Move]) -> Ways:
    """Where renamed ids lead: to what is built, or to the last version of what was removed.

    Raises:
        MovedError: One leads nowhere.
    """
    return moved.resolve(
        moves, {"chart": [*site.figures, *(one.id for one in gone)], "badge": badges.ids(site)}
    )
