"""Pages of runs leave out what HTML may leave out, styles and scripts what only their writers
read.
"""

import pytest

from site_src.minify import lean, shortened, slim
from site_src.verify import html


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


@pytest.mark.parametrize(
    ("whole", "less"),
    [
        (
            '<td><data value="1" data-ref="run:a-long-name-1:x">1</data>'
            '<td><data value="2" data-ref="run:a-long-name-2:x">2</data>'
            '<td><data value="3" data-ref="cost_of_time(run:a-long-name-2:x, price:b:c)">3</data>',
            '<td><data value="1" data-of=run:a-long-name- data-ref=:1:x>1</data>'
            '<td><data value="2" data-ref=:2:x>2</data>'
            '<td><data value="3" data-ref="cost_of_time(:2:x, price:b:c)">3</data>',
        ),
        (
            "<h1 data-of=run:a-0:>A</h1><data data-ref=:x>1</data><tr id=a-1 data-of=#>"
            "<data data-ref=:x>1</data><data data-ref=run:a-0:x>1</data>",
            "<h1 data-of=run:a-0:>A</h1><data data-ref=:x>1</data><tr id=a-1 data-of=#>"
            "<data data-ref=:x>1</data><data data-ref=run:a-0:x>1</data>",
        ),
        (
            '<data data-ref="run:a:x">1</data><code>&lt;data data-ref="run:a:x"&gt;</code>',
            '<data data-ref="run:a:x">1</data><code>&lt;data data-ref="run:a:x"&gt;</code>',
        ),
    ],
)
def test_references_that_begin_alike_say_so_once(whole: str, less: str) -> None:
    """Where that is shorter; what is read from the page are the same references."""
    assert shortened(whole) == less

    assert [one.ref for one in html.parsed(less).figures] == [
        one.ref for one in html.parsed(whole).figures
    ]
