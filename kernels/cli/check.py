"""`python -m kernels check`: damaged files and implausible records."""

from argparse import Namespace
from collections import Counter
from dataclasses import asdict

from kernels import checks, store
from kernels.cli.command import say, say_json
from kernels.errors import Severity


def main(chosen: Namespace) -> int:
    """Runs the command; returns 1 if a record cannot be true."""
    findings = checks.check(store.read(chosen.runs))
    counts = Counter(finding.severity for finding in findings)
    if chosen.json:
        say_json({"records": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            say(str(finding))
        error, warning, review = (counts[each] for each in Severity)
        matters = f", {review} matters for review" if review else ""
        say(f"{error} errors, {warning} warnings{matters}")
    return 1 if counts[Severity.ERROR] else 0
