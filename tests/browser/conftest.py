"""A real Chromium on a real build of the site, served below a sub-path as a static host would."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, sync_playwright

from tests.browser.sites import SMALL, make
from tests.browser.visitor import Watched, serve, watch

QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here drives a browser."""
    here = f"{Path(__file__).parent}{os.sep}"
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.browser)


PROGRAMS = ("chromium-headless-shell", "chromium")
"""The first that is there: the former is the same browser without windows of its own, whose frames
take half of the time.
"""


@pytest.fixture(scope="session")
def program() -> str:
    """The system's Chromium; a missing one is a failure in continuous integration and a visible
    skip elsewhere.
    """
    found = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if found is None:
        if os.environ.get("TOUCHSTONE_BROWSER") == "required":
            pytest.fail(
                "no chromium on the PATH, and TOUCHSTONE_BROWSER=required: install Debian's "
                "package `chromium`"
            )
        pytest.skip(
            "no chromium on the PATH: install Debian's package `chromium` to run the browser tests"
        )
    return found


@pytest.fixture(scope="session")
def browser(program: str) -> Iterator[Browser]:
    """It, headless."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the sites, which all test processes share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "sites"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def server(shared: Path) -> Iterator[str]:
    """Where they are served."""
    yield from serve(shared, "")


@pytest.fixture
def site(browser: Browser, shared: Path, request: pytest.FixtureRequest) -> Path:
    """The small site, or the one that the test's parameter says; whoever is the first to ask builds
    it, for all. Takes `browser` so that nothing is built where nothing can be shown.
    """
    assert browser.is_connected()
    name = getattr(request, "param", SMALL)
    folder, done = shared / name, shared / f"{name}.done"
    with FileLock(shared / f"{name}.lock"):
        if not done.exists():
            make(name, folder)
            done.touch()
    return folder / "site"


@pytest.fixture
def address(site: Path, shared: Path, server: str) -> str:
    """Where the site is served: two folders below the host's root."""
    return f"{server}{site.relative_to(shared).as_posix()}"


def _visit(browser: Browser, address: str, **settings: Any) -> Iterator[Watched]:
    """A page in a context of its own; the test fails when something went wrong on it."""
    context = browser.new_context(**settings)
    watched = watch(context, address, settings.get("java_script_enabled", True))
    yield watched
    context.close()
    assert not watched.wrong, "\n".join(watched.wrong)


@pytest.fixture
def desktop(browser: Browser, address: str) -> Iterator[Watched]:
    """A page 1280 pixels wide."""
    yield from _visit(browser, address, viewport={"width": 1280, "height": 900})


@pytest.fixture
def phone(browser: Browser, address: str) -> Iterator[Watched]:
    """A page 390 pixels wide, with touch."""
    yield from _visit(
        browser, address, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )


@pytest.fixture
def no_javascript(browser: Browser, address: str) -> Iterator[Watched]:
    """A page that runs no script."""
    yield from _visit(
        browser, address, viewport={"width": 1280, "height": 900}, java_script_enabled=False
    )
