"""What a picture may write."""

import pytest

from site_src.verify.pictures import Said, strangers, texts

LABELS = ("\N{ALMOST EQUAL TO} 3.280", "n = 1", "AWS p3.8xlarge", "1.250")


SAID = Said(
    "spec.es.json",
    frozenset({"Coste con 12 meses", *LABELS}),
    frozenset({3280, 64.5, 1250.0}),
    (",", "."),
    "",
)


def picture(
    marks: tuple[str, ...], ticks: tuple[tuple[str, float], ...] = (), title: str = ""
) -> str:
    """A chart with texts of marks, ticks by their place, and an axis title."""
    drawn = "".join(f"<text>{text}</text>" for text in marks)
    axis = "".join(
        f'<text transform="translate({place},21)">{text}</text>' for text, place in ticks
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"><g class="mark-text role-mark">{drawn}</g>'
        f'<g class="mark-text role-axis-label">{axis}</g><g class="mark-text role-axis-title">'
        f"<text>{title}</text></g></svg>"
    )


def faults(drawn: str) -> list[str]:
    """What is strange in a picture."""
    return list(strangers(texts(drawn), SAID))


def test_labels_are_strings_or_values_of_the_specification() -> None:
    """Numbers as the language writes them; lines of a text are one label."""
    lines = '<tspan>AWS</tspan><tspan x="0" dy="16"> p3.8xlarge</tspan>'

    assert faults(picture((*LABELS, lines, "64,5", "3.280"))) == []


@pytest.mark.parametrize("label", ["\N{ALMOST EQUAL TO} 3.28", "1.520", "AWS p3.16xlarge"])
def test_a_changed_label_is_found(label: str) -> None:
    """A bare number is no less held than a sentence."""
    assert faults(picture((*LABELS, label))) == [
        f"writes {label!r}, which spec.es.json does not have"
    ]


@pytest.mark.parametrize(
    ("ticks", "holds"),
    [
        ((("0", 0.0), ("500", 50.0), ("1.000", 100.0)), True),
        ((("0", 0.0), ("600", 50.0), ("1.000", 100.0)), False),
        ((("1", 0.0), ("10", 50.3), ("100", 100.0)), True),
        ((("75,7 %", 10.0), ("76,7 %", 20.0), ("77,7 %", 30.0)), True),
    ],
)
def test_ticks_stand_where_the_axis_has_them(
    ticks: tuple[tuple[str, float], ...], holds: bool
) -> None:
    """Linear and logarithmic axes pass; a figure between them does not."""
    assert (faults(picture(LABELS, ticks)) == []) is holds


def test_a_title_comes_from_the_specification() -> None:
    """Whole, not the beginning of a longer number."""
    assert faults(picture(LABELS, title="con 12 meses")) == []
    assert faults(picture(LABELS, title="con 13 meses")) == [
        "writes 'con 13 meses', which spec.es.json does not have"
    ]
