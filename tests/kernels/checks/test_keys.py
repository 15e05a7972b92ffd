"""Which words of a printed table are keys, which are names, and which are refused."""

import shutil
from pathlib import Path

import pytest

from kernels.checks import keys
from kernels.cli import imports
from kernels.errors import SourceError
from kernels.importers import article
from tests.makers import SOURCES, make_cell


@pytest.mark.parametrize(
    ("table", "field", "word", "wanted"),
    [
        (
            "hosts",
            "row",
            "memery-type",
            "did you mean 'memory-type'? (cell_row in site_src/content/reports/*/words.csv)",
        ),
        ("monitoring", "row", "3gpu-cnn10-card-1", "did you mean '2gpu-cnn10-card-1'?"),
        ("hosts", "row", "", "say what it is of"),
        ("hosts", "row", "sum(a, b)", "wanted a name without any of ',:()'"),
        ("hosts", "column", "memry", "did you mean 'memory'?"),
        ("hosts", "column", " ", "wanted a key or a name"),
        ("hosts", "column", "a:b", "wanted a name without any of ',:()'"),
        ("hosts", "text", "recommended-for-tpus", "did you mean 'recommended-for-tpu'?"),
        ("hosts", "text", "", "leave it null"),
        ("hosts", "text", "2019-13", "wanted a month"),
        ("hosts", "text", "0000-01", "wanted a month"),
        (
            "limits",
            "row",
            "Boost Clock",
            "did you mean 'boost-clock'? (limit in site_src/content/reports/*/words.csv)",
        ),
        ("open-questions", "row", "Who paid?", "did you mean 'who-paid'?"),
        ("statements", "row", "Bare metal", "did you mean 'bare-metal'?"),
    ],
)
def test_a_word_that_no_page_could_show_is_refused(
    table: str, field: str, word: str, wanted: str
) -> None:
    """No words, a name that says nothing or parts references, a name for a key: with advice."""
    [fault] = keys.faults(make_cell(table=table, **{field: word}))

    assert fault.startswith(f"{field}: found ") and wanted in fault


@pytest.mark.parametrize(
    ("table", "row", "column"),
    [
        ("compared", "gnmt", "cards"),
        ("power", "gpu-one", "counted"),
        ("power", "gpu-one", "specified-status"),
        ("statements", "t4-chosen", "type"),
    ],
)
def test_a_text_of_which_a_chart_or_a_label_is_made_is_a_key(
    table: str, row: str, column: str
) -> None:
    """There a name has no words either."""
    [fault] = keys.faults(make_cell(table=table, row=row, column=column, text="A name"))

    assert fault.startswith("text: found the key 'A name'")


@pytest.mark.parametrize(
    "fields",
    [
        {"row": "cloud-tpu-v2-8"},
        {"row": "rtx-2080-ti"},
        {"row": "n1-standard-4"},
        {"table": "implementations", "row": "nvidia-mxnet"},
        {"row": "Google Colab", "column": "Cirrascale", "text": "16 × 16"},
        {"row": "Предложение", "column": "試金石", "text": "Clasificación de imágenes"},
        {"text": "v0.5"},
        {"text": "2019-05"},
        {"text": "nightly-gpu-dev20190130"},
        {"text": "Deep Learning AMI (Ubuntu), a: b"},
    ],
)
def test_names_stay_as_they_are(fields: dict[str, str]) -> None:
    """What is not like a key, what the catalogue knows, words as they are, any letters."""
    assert [*keys.faults(make_cell(**fields))] == []


def test_the_importer_names_the_file_the_cell_and_the_field(tmp_path: Path) -> None:
    """A mistyped row of a transcription is not recorded."""
    folder = Path(shutil.copytree(SOURCES / "tpuv2-v100", tmp_path / "tpuv2-v100"))
    path = folder / "tables" / "clock-exclusions.csv"
    path.write_text(
        path.read_text(encoding="utf-8").replace("start-up", "start-upp"), encoding="utf-8"
    )

    [(_, error)] = imports.outcomes("article", [*article.parts(folder, {})], jobs=1)

    assert isinstance(error, SourceError)
    assert (
        "tpuv2-v100: cells, tpuv2-v100, clock-exclusions, 1, in-time: row: found the key "
        "'start-upp'" in str(error)
    )
