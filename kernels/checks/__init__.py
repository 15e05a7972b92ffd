"""All errors and warnings about recorded data, for `kernels check` and `kernels submit`.

A finding is an error (the record cannot be true, or cannot be passed on), a warning (something is
odd), or, for submitted runs, a matter for review. Warnings that are kept with a run and shown
beside its figures are those of `analysis/warnings.py`.
"""

from kernels import catalog
from kernels.audit.facts import Facts
from kernels.checks import prices, records, submissions
from kernels.errors import Finding
from kernels.store import Archive


def check(archive: Archive) -> list[Finding]:
    """Returns the findings about each record, the raw records of runs of this harness, prices that
    contradict each other, and claims that cannot be judged.
    """
    return (
        records.check(archive)
        + submissions.check(archive)
        + prices.check(archive)
        + Facts(archive, catalog.load()).check()
    )
