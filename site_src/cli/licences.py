"""What may be read but not passed on: records whose source states no licence stay out of the site
unless the build is told otherwise.
"""

from dataclasses import replace

from kernels.records import NO_LICENCE
from kernels.store import Archive
from kernels.store.join import without


def without_unlicensed(archive: Archive) -> tuple[Archive, int]:
    """The archive without records of sources that state no licence, and how many runs that leaves
    out.

    A source of such records goes with them, and so do its claims, cells and reviews, which carry no
    licence of their own.
    """
    gone = {source.source for source in archive.sources if source.licence == NO_LICENCE}
    logs = [
        each for each in archive.recordings if each.licence == NO_LICENCE or each.source in gone
    ]
    # a run keeps its own figures where only the log that watched it is under no licence
    bare = without(archive.runs, logs)
    runs = tuple(run for run in bare if run.licence != NO_LICENCE and run.source not in gone)
    kept = {run.run_id for run in runs}
    slim = replace(
        archive,
        runs=runs,
        sources=tuple(source for source in archive.sources if source.source not in gone),
        claims=tuple(claim for claim in archive.claims if claim.source not in gone),
        reviews=tuple(review for review in archive.reviews if review.source not in gone),
        cells=tuple(cell for cell in archive.cells if cell.source not in gone),
        prices=tuple(
            price
            for price in archive.prices
            if price.licence != NO_LICENCE and price.source not in gone
        ),
        rates=tuple(
            rate for rate in archive.rates if rate.licence != NO_LICENCE and rate.source not in gone
        ),
        tariffs=tuple(
            tariff
            for tariff in archive.tariffs
            if tariff.licence != NO_LICENCE and tariff.source not in gone
        ),
        recordings=tuple(
            each
            for each in archive.recordings
            if each.run_id in kept - {log.run_id for log in logs}
        ),
        withdrawals=tuple(each for each in archive.withdrawals if each.run_id in kept),
        files={name: path for name, path in archive.files.items() if name in kept},
    )
    return slim, len(archive.runs) - len(runs)
