"""runs/ in, site/ out: joins the recorded runs with the pages that show them.
`python build.py --help` has the options; the steps are in `site_src/cli`.
"""

import signal
import sys
import time
from argparse import Namespace
from collections.abc import Sequence

from kernels import disk
from kernels.errors import TouchstoneError
from site_src.cli import say, unchanged
from site_src.cli.arguments import parse


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns 0 if the site is right, 1 for a refused input or an error in the site, 130 after
    Ctrl-C; wrong usage ends with 2.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    given = parse(words)
    start = time.monotonic()
    try:
        done = unchanged.last_result(given) or _carry_out(given)
    except TouchstoneError as error:
        say(f"error: {error}")
        return 1
    except OSError as error:
        say(f"error: {disk.explained(error) if error.errno in disk.FULL else error}")
        return 1
    except KeyboardInterrupt:
        say("interrupted; where a site stands, it is whole")
        return 128 + signal.SIGINT
    if done is None:
        return 0
    built, well = done
    print(f"{built} in {time.monotonic() - start:.1f} s: {given.out}")  # noqa: T201 - the command's answer
    if given.serve:
        from site_src.cli.serving import serve_and_rebuild  # noqa: PLC0415 - few ask for it

        serve_and_rebuild(given, words)
    return 0 if well else 1


def _carry_out(given: Namespace) -> tuple[str, bool] | None:
    made_from = unchanged.sources(given)  # first: what follows reads the code, and that for seconds
    from site_src.cli.steps import carry_out  # noqa: PLC0415 - an unchanged site does not need it

    return carry_out(given, made_from)


if __name__ == "__main__":
    sys.exit(main())
