"""Fixtures that several rooms share."""

import gc
import secrets
from pathlib import Path

import pytest

from tests import examples

SLOW = (
    "browser/test_accessibility.py",
    "kernels/harness/test_worker.py",
    "site_src/cli/test_rebuild.py",
    "kernels/cli/test_run.py",
    "browser/test_calculator.py",
    "browser/test_hosts.py",
    "browser/test_pseudo.py",
    "site_src/test_contract.py",
    "site_src/charts/test_chart_files.py",
    "browser/test_share_panel.py",
    "browser/test_chart_states.py",
    "site_src/addresses/test_retired.py",
    "site_src/charts/test_specifications.py",
    "kernels/workloads/test_cnn10_jax.py",
    "site_src/test_build.py",
    "fuzz/test_layouts.py",
    "site_src/charts/test_digits.py",
    "kernels/workloads/micro/test_matmul_jax.py",
    "perf/test_make_archive.py",
    "site_src/cli/test_freeze.py",
    "site_src/verify/test_planted.py",
    "site_src/test_hostile.py",
    "site_src/pages/report/test_article_tables.py",
)
"""Files whose tests start the harness in processes of its own, build the site again or walk through
all of it: `make test` leaves them out, SLOW=yes and `make test-all` do not. The first makes the
site, which most of `browser` wait for.
"""

FIRST = (
    *SLOW,
    "browser/test_pages.py",
    "site_src/pages/test_pages.py",
    "site_src/charts/test_charts.py",
    "kernels/test_main.py",
    "kernels/importers/prices/test_prices.py",
    "site_src/verify/test_verify.py",
    "site_src/questions/test_questions.py",
)
"""They come before all others, so that no process has a long file left when the other is done. The
first that drives a browser makes the site; the others of its kind come last, so that nobody waits
for it.
"""

EXTERNAL = Path(__file__).resolve().parents[1] / ".." / "shared" / "external"


def pytest_configure(config: pytest.Config) -> None:
    """Before any test is read: properties are tried on all their examples where `whole` runs."""
    examples.load(examples.QUICK if "not whole" in config.option.markexpr else examples.ALL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the files of `SLOW`, put those of `FIRST` first and those of the browser last; the tests
    of a file keep their order.
    """
    folder = Path(__file__).parent
    slow = {folder / name for name in SLOW}
    turns = {folder / name: turn for turn, name in enumerate(FIRST)}
    last = len(turns)
    for item in items:
        if item.path in slow:
            item.add_marker(pytest.mark.slow)
    items.sort(
        key=lambda item: turns.get(item.path, last + (item.path.parent == folder / "browser"))
    )


def pytest_collectstart() -> None:
    """What is loaded while tests are read stays to the end: the collector need not look at it."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Nor later, but at what is made from now on."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def own_locks(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run side by side, and beside whatever else is measured here: each has a machine to
    itself as far as locks go.
    """
    folder = tmp_path_factory.getbasetemp() / "locks" / secrets.token_hex(4)
    folder.mkdir(parents=True)
    monkeypatch.setenv("TOUCHSTONE_LOCKS", str(folder))


@pytest.fixture(scope="session")
def external() -> Path:
    """The folder of real files that others published; it is no part of the repository."""
    if not EXTERNAL.is_dir():
        pytest.skip(
            "../shared/external is absent: real MLPerf, DAWNBench, price and telemetry files are "
            "not part of the repository"
        )
    return EXTERNAL.resolve()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parents[1]
