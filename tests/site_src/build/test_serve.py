import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from site_src.build import serve as serving
from site_src.build.serve import serve
from tests.patience import PATIENCE_S


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A written site of one page."""
    (tmp_path / "site" / "en").mkdir(parents=True)
    (tmp_path / "site" / "en" / "index.html").write_text("<p>home", encoding="utf-8")
    (tmp_path / "site" / "404.html").write_text("<p>missing", encoding="utf-8")
    (tmp_path / "site" / "data.csv").write_text("a\n1\n", encoding="utf-8")
    (tmp_path / "watched").mkdir()
    return tmp_path / "site"


class Session:
    """A server in a thread of its own; it ends when a rebuild raises what Ctrl+C raises."""

    def __init__(self, out: Path) -> None:
        self.address = ""
        self.builds = 0
        self.over = False
        self.watched = out.parent / "watched"
        self.thread = threading.Thread(
            target=serve, args=(out, 0, [self.watched], self.rebuild, self.say)
        )
        self.thread.start()
        while not self.address:
            time.sleep(0.01)

    def rebuild(self) -> bool:
        """Count, or end."""
        if self.over:
            raise KeyboardInterrupt
        self.builds += 1
        return True

    def say(self, text: str) -> None:
        """Keep the address."""
        self.address = self.address or next(
            word for word in text.split() if word.startswith("http")
        )

    def get(self, path: str) -> tuple[int, str]:
        """Status and body."""
        try:
            with urllib.request.urlopen(self.address + path, timeout=PATIENCE_S) as answer:  # noqa: S310 - our own server
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()


@pytest.fixture
def session(site: Path) -> Iterator[Session]:
    """A running server, ended after the test."""
    running = Session(site)
    yield running
    running.over = True
    (running.watched / "end").touch()
    running.thread.join(PATIENCE_S)


def test_pages_are_served_with_the_question_and_files_as_they_are(session: Session) -> None:
    """HTML asks for news, a download does not, a wrong address gets the site's own 404."""
    assert session.get("en/")[0] == 200
    assert session.get("en/")[1].startswith("<p>home<script>")
    assert session.get("data.csv") == (200, "a\n1\n")
    assert session.get("en/nothing/here")[0] == 404
    assert session.get("en/nothing/here")[1].startswith("<p>missing")


def test_a_change_builds_once_and_tells_the_open_pages(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several writes at once are one build; a waiting page hears of it."""
    # a busy machine takes its time between two of the writes
    monkeypatch.setattr(serving, "CALM_S", 2.0)
    asked, wait = threading.Event(), threading.Condition.wait

    def noted(self: threading.Condition, timeout: float | None = None) -> bool:
        if timeout == serving.WAIT_S:
            # nobody can tell the page before it waits: whoever does needs the lock that it holds
            # until then
            asked.set()
        return wait(self, timeout)

    monkeypatch.setattr(threading.Condition, "wait", noted)
    answers: list[int] = []
    page = threading.Thread(target=lambda: answers.append(session.get("-/changed")[0]))
    page.start()
    asked.wait(PATIENCE_S)

    for number in range(5):
        (session.watched / f"{number}.toml").write_text("x", encoding="utf-8")
    page.join(PATIENCE_S)

    assert answers == [200]
    assert session.builds == 1
