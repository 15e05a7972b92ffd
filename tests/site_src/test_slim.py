"""Pages of runs leave out what HTML may leave out."""

import pytest

from site_src.slim import slim


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
