"""Pieces of HTML that hold others."""

from collections.abc import Callable

import pytest
from markupsafe import Markup

from site_src.templates import html

LONG = Markup("<tr><td>1</td></tr>") * 300


@pytest.mark.parametrize("made", [html.details, html.folded])
def test_what_is_long_and_folded_away_is_text_until_it_is_opened(
    made: Callable[..., Markup],
) -> None:
    """A browser that runs scripts makes no elements of it; what is short, or open, stands there."""
    assert str(made("s", LONG)).endswith(
        f"<summary>s</summary><noscript>{LONG}</noscript></details>"
    )
    assert "<noscript>" not in str(made("s", LONG, open=True))
    assert "<noscript>" not in str(made("s", Markup("<p>1</p>")))


def test_one_such_text_holds_no_other() -> None:
    """Browsers would take the end of the inner one for its own."""
    inner = html.details("inner", LONG)
    outer = str(html.details("outer", inner))

    assert (outer.count("<noscript>"), outer.count("</noscript>")) == (1, 1)
    assert outer.index("<noscript>") < outer.index("inner")
    assert outer.endswith("</details></noscript></details>")


def test_a_folded_table_says_how_many_rows_it_has() -> None:
    """The head is none; a list that nobody has opened counts them so."""
    table = Markup("<tr><th>a</th></tr>") + LONG

    assert str(html.folded("s", table)).startswith('<details data-ts-fold="300"><summary>')
