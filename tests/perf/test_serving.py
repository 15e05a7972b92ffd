"""The server of the browsers' parts, and what files weigh."""

import gzip
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests.perf.serving import served, weight


def test_files_come_compressed_and_folders_as_their_index(tmp_path: Path) -> None:
    """As static hosts have it; what is not there is a 404 and not an empty page."""
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "index.html").write_text("<p>said</p>", encoding="utf-8")

    with served(tmp_path) as address:
        answer = urllib.request.urlopen(f"{address}/en/?a=b")  # noqa: S310 - our own address
        kind, coded, said = (
            answer.headers["Content-Type"],
            answer.headers["Content-Encoding"],
            gzip.decompress(answer.read()),
        )
        with pytest.raises(HTTPError, match="404") as refused:
            urllib.request.urlopen(f"{address}/no.html")  # noqa: S310
        refused.value.close()
        answer.close()

    assert (kind, coded, said) == ("text/html; charset=utf-8", "gzip", b"<p>said</p>")


def test_a_file_that_is_asked_for_twice_weighs_once(tmp_path: Path) -> None:
    """Bytes after gzip -9 and brotli 11; a query does not make another file."""
    (tmp_path / "a.js").write_text("x" * 10_000, encoding="utf-8")

    found = weight(tmp_path, ["/a.js", "/a.js?b=c"])

    assert found.gzip == len(gzip.compress(b"x" * 10_000, 9, mtime=0))
    assert found.brotli < found.gzip
    assert found.requests == 1


def test_what_a_page_asks_for_in_vain_is_an_error(tmp_path: Path) -> None:
    """A page must not look light because its files are missing."""
    with pytest.raises(FileNotFoundError, match=r"gone\.js"):
        weight(tmp_path, ["/gone.js"])
