"""runs/ in, site/ out: joins the recorded runs with the pages that show them.
`python build.py --help` has the options; the steps are in `site_src/cli`.
"""

import shutil
import sys
import time
from collections.abc import Sequence

from kernels import disk
from kernels.errors import TouchstoneError
from site_src.addresses import ledger
from site_src.cli import messages, say
from site_src.cli.arguments import CACHE, order_of, parse
from site_src.cli.building import build, retire, verify
from site_src.cli.inputs import read
from site_src.cli.serving import serve_and_rebuild


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 when the site stands, 1 for a refused input or a site that does not hold; wrong
    usage ends with 2.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    given = parse(words)
    start = time.monotonic()
    try:
        if given.clean:
            shutil.rmtree(CACHE, ignore_errors=True)
        order = order_of(given)
        inputs = read(order)
        messages.say_left_out(inputs)
        if given.retire:
            messages.say_retired(given.retire, retire(order, inputs, given.retire, given.why))
            return 0
        built = build(order, inputs)
        failures = verify(order, inputs) if given.verify else []
        record = given.ledger and not failures
        if record:
            ledger.append(given.runs / ledger.NAME, built.added)
    except TouchstoneError as error:
        say(f"error: {error}")
        return 1
    except OSError as error:
        say(f"error: {disk.told(error) if error.errno in disk.FULL else error}")
        return 1
    for failure in failures:
        say(f"verify: {failure}")
    messages.say_added(given, built.added, recorded=record)
    print(messages.summary(given, inputs, built, failures, time.monotonic() - start))  # noqa: T201 - the command's answer
    if given.serve:
        serve_and_rebuild(given, words)
    unrecorded = built.added and given.verify and given.base_url and not given.ledger
    if unrecorded:
        say(messages.UNRECORDED)
    return 1 if failures or unrecorded else 0


if __name__ == "__main__":
    sys.exit(main())
