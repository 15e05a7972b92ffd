"""The theme's stylesheet with what our pages need of it."""

import pytest

from site_src.build.theme_css import met, rules, trimmed, words


@pytest.mark.parametrize(
    ("whole", "less"),
    [
        (".md-typeset a{color:red}.md-search a{color:red}", ".md-typeset a{color:red}"),
        (".md-search,.md-top{top:0}", ".md-top{top:0}"),
        (".md-nav:not(.md-nav--lifted){top:0}", ".md-nav:not(.md-nav--lifted){top:0}"),
        (".a:is(.b,.tabbed-set) c{top:0}", ""),
        (".a kbd,.a .kbd,.a blockquote>p,h6,h1{top:0}", ".a .kbd,h1{top:0}"),
        (".a table:not([class]) th,.a table:not([id]){top:0}", ".a table:not([id]){top:0}"),
        ('img[src$="#only-dark"],th[role=columnheader],th{top:0}', "th{top:0}"),
        (
            "@media print{.md-search{top:0}}@media screen{.md-top{top:0}.tabbed-set{top:0}}",
            "@media screen{.md-top{top:0}}",
        ),
        ('@charset "UTF-8";.a{content:"}"}', '@charset "UTF-8";.a{content:"}"}'),
        (
            ":root{--md-x-icon:url(a)}:root{--md-y-icon:url(b)}.a{b:var(--md-y-icon)}",
            ":root{--md-y-icon:url(b)}.a{b:var(--md-y-icon)}",
        ),
        (
            ".a{--md-x:';}';--md-y:1px;top:var(--md-y)}.b{--md-x:0}",
            ".a{--md-y:1px;top:var(--md-y)}",
        ),
        ("@keyframes a{0%{top:0}}", "@keyframes a{0%{top:0}}"),
    ],
)
def test_only_what_no_page_meets_goes(whole: str, less: str) -> None:
    """Rules and selectors of parts that we do not have, icons that nothing shows; all else stays to
    the letter and in order.
    """
    assert trimmed(whole) == less


@pytest.mark.parametrize(
    ("whole", "less"),
    [
        (".a b{top:0}.c{top:0}.a,.c{top:0}.a .c{top:0}", ".a b{top:0}.a{top:0}"),
        (".a:not(.c){top:0}.a:has(+ .c:not(.d)){top:0}", None),
        (".a:is(.b,.c){top:0}:where(.c,.d) p{top:0}", ".a:is(.b,.c){top:0}"),
        ("@media print{.c{top:0}.b{top:0}}@media screen{.c{top:0}}", "@media print{.b{top:0}}"),
        ("@font-face{src:url(c)}p{top:0}[hidden]{top:0}", None),
    ],
)
def test_a_page_has_the_rules_that_it_can_match(whole: str, less: str | None) -> None:
    """By the classes in it, which are among its words; what is without, or one of several, stays."""
    assert met(whole, words('<p class="a b">')) == (whole if less is None else less)


def test_rules_are_the_whole_stylesheet() -> None:
    """Nothing falls between two of them; braces in texts and addresses are no braces."""
    css = """.a{background:url("data:image/svg+xml,<svg x='}'>;")}@media screen{.b{c:d}.e{f:g}}@import "x";.h{i:j}"""

    assert "".join(rules(css)) == css
    assert len(list(rules(css))) == 4
