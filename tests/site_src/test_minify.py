"""Pages of runs leave out what HTML may leave out, styles and scripts what only their writers
read.
"""

import pytest

from site_src.minify import lean, slim


@pytest.mark.parametrize(
    ("whole", "less"),
    [
        ('<td class="a">1</td>', "<td class=a>1"),
        ('<p class="a b">1</p><p>2</p>', '<p class="a b">1<p>2</p>'),
        ('<a href="../a/">x</a>', '<a href="../a/">x</a>'),
        ('<a href="../a/" lang="en">x</a>', "<a href=../a/ lang=en>x</a>"),
        ('<a href="a?b=c">x</a>', '<a href="a?b=c">x</a>'),
        ('<p title="">"said"</p>', '<p title="">"said"</p>'),
    ],
)
def test_only_what_says_nothing_goes(whole: str, less: str) -> None:
    """End tags and quotes go; quotes stay around what needs them, and in text."""
    assert slim(whole) == less


@pytest.mark.parametrize(
    ("name", "whole", "less"),
    [
        ("a.css", "/* a */\n.b > .c {\n  d: e;\n  f: g h;\n}\n", ".b>.c{d:e;f:g h}\n"),
        ("a.css", '.a { content: " (" attr(href) ")"; }', '.a{content:" (" attr(href) ")"}\n'),
        ("a.js", "// a\n(() => {\n\n  b(); // c\n})();\n", "(()=>{b();})();\n"),
        ("a.js", "a(`//${b}\n  c`, /[/*]/);\n", "a(`//${b}\n  c`,/[/*]/);\n"),
    ],
)
def test_styles_and_scripts_lose_what_only_their_writers_read(
    name: str, whole: str, less: str
) -> None:
    """Texts, expressions and values stay as they are."""
    assert lean(name, whole.encode()).decode() == less


def test_other_files_stay_as_they_are() -> None:
    """A picture is no script."""
    assert lean("a.svg", b"/* a */") == b"/* a */"
