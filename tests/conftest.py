"""Fixtures that several rooms share."""

import secrets
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("touchstone", deadline=None)  # how long an example takes says how busy the machine is
settings.load_profile("touchstone")

EXTERNAL = Path(__file__).resolve().parents[1] / ".." / "shared" / "external"


@pytest.fixture(autouse=True)
def own_locks(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests run side by side, and beside whatever else is measured here: each has a machine to itself as far as locks go."""
    folder = tmp_path_factory.getbasetemp() / "locks" / secrets.token_hex(4)
    folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))


@pytest.fixture(scope="session")
def external() -> Path:
    """The folder of real files that others published; it is no part of the repository."""
    if not EXTERNAL.is_dir():
        pytest.skip("../shared/external is absent: real MLPerf, DAWNBench, price and telemetry files are not part of the repository")
    return EXTERNAL.resolve()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return Path(__file__).resolve().parents[1]
