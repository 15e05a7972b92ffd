"""A real Chromium on a real build of the site, served below a sub-path as a static host would."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

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
    for item in items:
        if Path(__file__).parent in item.path.parents:
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


@contextmanager
def building(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Hold the machine for a build of the whole site, which takes all cores; gives the folder that
    all test processes share.
    """
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with (shared / "building").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield shared


@pytest.fixture(scope="session")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """The whole site, built once as its authors look at it. Takes `browser` so that nothing is
    built where nothing can be shown.
    """
    assert browser.is_connected()
    with building(tmp_path_factory) as shared:
        out = shared / "www" / "some" / "path"
        if not (out / "index.html").is_file():
            out.parent.mkdir(parents=True, exist_ok=True)
            command = [
                sys.executable,
                "build.py",
                "--draft",
                "--out",
                str(out),
                "--date",
                "2026-11-20",
            ]
            built = subprocess.run(
                command, cwd=repository, capture_output=True, text=True, check=False
            )
            assert built.returncode == 0, built.stderr[-4000:]
    return out


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served: two folders below the host's root."""
    yield from serve(site.parents[1], "some/path")


def _visit(browser: Browser, address: str, **settings: Any) -> Iterator[Watched]:
    """A page in a context of its own; the test fails when something went wrong on it."""
    context = browser.new_context(**settings)
    watched = watch(context, address)
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
