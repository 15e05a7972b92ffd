"""The options of `python build.py`: what goes together, and what is taken where nothing is said."""

from datetime import date
from pathlib import Path

import pytest

from site_src.cli import arguments as command
from site_src.cli.arguments import parse


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--lang", "en,tlh"], "no strings for tlh"),
        (["--date", "yesterday"], "--date"),
        (["--base-url", "example.org"], "wanted an address"),
        (["--jobs", "0"], "--jobs"),
        (["--runtime", "quick"], "--runtime"),
        (["--retire", "a-chart"], "--why TEXT"),
        (["--draft", "--verify"], "goes without"),
        (["--draft", "--base-url", "https://example.org"], "goes without --base-url"),
        (["--why", "it was wrong"], "--retire CHART"),
        (["--freeze", "2026.4"], "--freeze needs --base-url"),
        (
            ["--retire", "a-chart", "--why", "it was wrong", "--lang", "en", "--out", "x"],
            "leave --lang out",
        ),
    ],
)
def test_wrong_usage_ends_with_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The option is named, and nothing is built."""
    with pytest.raises(SystemExit) as ended:
        parse(arguments)

    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_some_languages_need_another_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A site of one language would remove the others' pages from site/."""
    for code in ("en", "ja"):
        (tmp_path / f"{code}.toml").touch()
    monkeypatch.setattr(command, "STRINGS", tmp_path)

    with pytest.raises(SystemExit):
        parse(["--lang", "ja"])

    assert parse(["--lang", "ja", "--out", str(tmp_path)]).lang == ("ja",)
    assert parse(["--lang", "ja,en"]).lang == ("ja", "en")


def test_the_date_is_an_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """--date comes first, then SOURCE_DATE_EPOCH, then today."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert parse([]).date == date(1970, 1, 2)
    assert parse(["--date", "2026-11-20"]).date == date(2026, 11, 20)

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(SystemExit):
        parse([])

    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert parse([]).date >= date(2026, 1, 1)
