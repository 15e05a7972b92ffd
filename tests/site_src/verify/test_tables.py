"""A summed-up chart's table on a page against its CSV: each difference is named by row and
column.
"""

from dataclasses import replace

import pandas as pd
import pytest

from site_src.verify import again
from site_src.verify.tables import differs
from tests.site_src import recorded

COLUMNS: dict[str, list[str | None]] = {
    "series_label": ["A-1 × 2", "A-1 × 2"],
    "phase": ["Warm-up", "–"],
    "mid": [None, "fewer than 3 runs"],
}
ROWS = [
    {"series_label": "A-1 × 2", "phase": "warmup", "mid": "1234.5678", "licence": "MIT"},
    {"series_label": "A-1 × 2", "phase": "", "mid": "", "licence": "MIT"},
]
TABLE = (
    "<table><thead><tr><th>System</th><th>Phase</th><th>Median</th></tr></thead><tbody>"
    '<tr data-series="a"><th scope="row"><span class="ts-kept">A-1</span> ×\u00a02</th>'
    "<td>Warm-\u00adup</td>"
    '<td class="ts-number"><data value="1234.5678">1,234.6</data></td></tr>'
    '<tr data-series="a"><th scope="row">A-1 ×\u00a02</th><td>–</td><td class="ts-number">fewer '
    "than 3 runs</td></tr></tbody></table>"
)


def test_a_table_that_says_what_the_csv_has_passes() -> None:
    """Places where a line may break, rounding and the reason why there is no figure are no
    differences.
    """
    assert list(differs(TABLE, ROWS, COLUMNS, recorded.english())) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            'value="1234.5678"',
            'value="1234.5687"',
            "row 1, mid: 1234.5687; table.csv has '1234.5678'",
        ),
        (
            "1,234.6",
            "1,243.6",
            "row 1, mid: the text '1,243.6' is not 1234.5678 as the language writes it",
        ),
        (
            'value="1234.5678"',
            'value=""',
            "row 1, mid: ''; table.csv has '1234.5678'; one of them is no number",
        ),
        (
            '<data value="1234.5678">1,234.6</data>',
            "–",
            "row 1, mid: '–'; table.csv has '1234.5678'",
        ),
        ("fewer than 3 runs", '<data value="0">0</data>', "row 2, mid: '0'; table.csv has ''"),
        ("fewer than 3 runs", "1,234", "row 2, mid: '1,234'; table.csv has ''"),
        (
            "fewer than 3 runs",
            "fewer than 2 runs",
            "row 2, mid: 'fewer than 2 runs'; table.csv has ''",
        ),
        ("<td>–</td>", "<td>Warm-up</td>", "row 2, phase: 'Warm-up'; table.csv has ''"),
        (">A-1<", ">A-2<", "row 1, series_label: 'A-2 ×\\xa02'; table.csv has 'A-1 × 2'"),
        ("<td>–</td>", "", "row 2: has 2 cells, wanted 3: series_label, phase, mid"),
        ("</tbody>", "<tr/></tbody>", "has 3 rows, table.csv has 2, the records give 2"),
        ("</tbody>", "", "cannot be read: mismatched tag: line 1, column "),
    ],
)
def test_each_difference_is_named(old: str, new: str, fault: str) -> None:
    """One thing changed on the page is one fault."""
    assert old in TABLE

    found = list(differs(TABLE.replace(old, new, 1), ROWS, COLUMNS, recorded.english()))

    assert len(found) == 1 and found[0].startswith(fault), found


def test_a_column_that_the_csv_lacks_is_named() -> None:
    """In each row, since each has a cell of it."""
    rows = [{name: value for name, value in row.items() if name != "phase"} for row in ROWS]

    found = list(differs(TABLE, rows, COLUMNS, recorded.english()))

    assert found == [f"row {number}, phase: is no column of table.csv" for number in (1, 2)]


def test_figures_that_are_missing_are_held_by_their_words() -> None:
    """Of a figure the value says what it is; where there is none, a dash or the reason does, row by
    row.
    """
    figure = recorded.drawn()["digits-cnn-steps"]
    assert figure.digest is not None
    table = figure.digest.table.assign(low=pd.Series([0.5, None, None], dtype=object))
    made = again._summed(
        replace(figure, digest=replace(figure.digest, table=table)), recorded.english()
    )

    assert made["low"] == [None, "–", "–"] and made["mid"] == [None, None, None]
    assert len(set(made["phase"])) == len(made["phase"]) == 3
