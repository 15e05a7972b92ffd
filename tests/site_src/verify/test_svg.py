"""What a picture may write."""

from collections import Counter
from typing import Any

import pytest

from site_src.verify.svg import expected, strangers, texts

ROWS = [
    {
        "text": "\N{ALMOST EQUAL TO} 3.280",
        "value": 3280,
        "one": "n = 1",
        "epoch": 64.5,
        "kind": "final",
    },
    {"text": "AWS p3.8xlarge", "value": None, "one": None, "epoch": 1250.0, "kind": "target"},
]
SPEC: dict[str, Any] = {
    "data": {"values": ROWS},
    "layer": [
        {"mark": "bar"},
        {
            "mark": {"type": "text"},
            "encoding": {"text": {"field": "text"}},
            "transform": [{"filter": "isValid(datum.value)"}],
        },
        {
            "mark": "text",
            "encoding": {"text": {"field": "one"}},
            "transform": [{"filter": "isValid(datum.value) && isValid(datum.one)"}],
        },
        {
            "mark": "text",
            "encoding": {"text": {"field": "text"}},
            "transform": [{"filter": "!isValid(datum.value)"}],
        },
        {
            "mark": "text",
            "encoding": {"text": {"field": "epoch", "format": ",.12~g"}},
            "transform": [{"filter": "datum.kind === 'target' && datum.epoch"}],
        },
    ],
    "title": "Coste con 12 meses",
    "usermeta": {"embedOptions": {"formatLocale": {"decimal": ",", "thousands": "."}}},
}
LABELS = ("\N{ALMOST EQUAL TO} 3.280", "n = 1", "AWS p3.8xlarge", "1.250")


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


def faults(drawn: str, spec: dict[str, Any] = SPEC) -> list[str]:
    """What is strange in a picture."""
    known = {"Coste con 12 meses", *LABELS}
    return list(strangers(texts(drawn), known, expected(spec), spec, "spec.es.json"))


def test_lines_of_a_text_are_one_label() -> None:
    """A picture writes each line apart; a line that is another one's is found."""
    words = {
        "mark": {"type": "text", "lineBreak": "\n"},
        "encoding": {"text": {"field": "under", "type": "nominal"}},
    }
    spec = {"data": {"values": [{"under": "faster · CNN-10\nbatch 128"}]}, "layer": [words]}

    for second, wrong in (("batch 128", False), ("batch 64", True)):
        lines = f'<tspan>faster · CNN-10</tspan><tspan x="0" dy="16">{second}</tspan>'
        assert bool(faults(picture((lines,)), spec)) == wrong


def test_labels_follow_from_rows_filters_and_formats() -> None:
    """Each text layer writes the rows that pass its filter, numbers as the language does."""
    assert expected(SPEC) == Counter(LABELS)
    assert faults(picture(LABELS)) == []


@pytest.mark.parametrize(
    ("marks", "fault"),
    [
        (
            ("\N{ALMOST EQUAL TO} 3.28", *LABELS[1:]),
            "writes '\N{ALMOST EQUAL TO} 3.28', which spec.es.json does not have",
        ),
        ((*LABELS[:3], "1.520"), "writes '1.520', which spec.es.json does not have"),
        ((*LABELS, "1.250"), "writes '1.250' 1 times more than spec.es.json has it"),
        (LABELS[1:], "does not write '\N{ALMOST EQUAL TO} 3.280', which spec.es.json has"),
    ],
)
def test_a_changed_label_is_found(marks: tuple[str, ...], fault: str) -> None:
    """A bare number is no less held than a sentence; a label of another row is one too many."""
    assert fault in faults(picture(marks))


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


def test_a_filter_that_is_not_read_leaves_the_strings() -> None:
    """Then a label must still be one of the specification's strings or values."""
    spec = {
        **SPEC,
        "layer": [
            {
                "mark": "text",
                "encoding": {"text": {"field": "text"}},
                "transform": [{"filter": "datum.value > 7"}],
            }
        ],
    }

    assert expected(spec) is None
    assert faults(picture(LABELS), spec) == []
    assert faults(picture(("3.281",)), spec) == ["writes '3.281', which spec.es.json does not have"]
