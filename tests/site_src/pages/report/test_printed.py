"""Tables that a report's definition declares."""

import re
import shutil
from pathlib import Path

import pytest

from kernels.store import Archive
from site_src import reports
from site_src.locales import Locale
from site_src.pages import CONTENT, PageError
from site_src.pages.components.writer import Writer
from site_src.pages.report.printed import printed_table
from tests.makers import transcribed
from tests.site_src import recorded
from tests.site_src.recorded import make_site

RUN = "tpuv2-v100-tpu-imagenet-1024"
OOM = "tpuv2-v100-v100-mxnet-synthetic-1024"
COLUMNS = """
  { head = "system", name = "{system}" },
  { head = "batch", ref = "run:{run}:global_batch_size", unit = false },
  { head = "throughput", ref = "run:{run}:throughput_images_per_s" },
  { head = "claim", verdict = "{claim}" },
  { head = "value", field = "{run}:precision" },
"""
ROW = (
    f'{{ run = "{RUN}", system = "system:cloud-tpu-v2-8", claim = '
    f'"tpuv2-v100-tensorflow-behind-mxnet" }}'
)


@pytest.fixture(scope="module")
def archive() -> Archive:
    """The article on Cloud TPU v2."""
    return transcribed("tpuv2-v100")


@pytest.fixture(scope="module")
def english() -> Locale:
    """The English words."""
    return recorded.english()


def shown(archive: Archive, locale: Locale, folder: Path, rows: str, columns: str = COLUMNS) -> str:
    """A table `runs-on-tpu` in the report that exists, as HTML; its caption is a string that
    exists.
    """
    path = folder / "tpuv2-v100" / "report.toml"
    path.parent.mkdir(exist_ok=True)
    shutil.copy(CONTENT / "reports/tpuv2-v100/report.toml", path)
    with path.open("a", encoding="utf-8") as file:
        file.write(f'\n[[table]]\nid = "dataset"\ncolumns = [{columns}]\nrows = [{rows}]\n')
    report = reports.read(path)
    site = make_site(archive, reports=[report])
    return str(printed_table(Writer(site, locale, "reports/tpuv2-v100/"), report, "dataset"))


def test_cells_are_figures_names_verdicts_and_words(
    archive: Archive, english: Locale, tmp_path: Path
) -> None:
    """A figure has its reference, a system its page, a verdict its line in the audit, a run its
    word.
    """
    body = shown(archive, english, tmp_path, ROW)

    assert '<a href="../../systems/cloud-tpu-v2-8/">' in body
    assert f'data-ref="run:{RUN}:throughput_images_per_s"' in body
    verdict = '<span class="ts-badge ts-badge--verdict-contradicts">'
    assert (
        '<a class="ts-verdict" '
        f'href="../../sources/tpuv2-v100/#tpuv2-v100-tensorflow-behind-mxnet">{verdict}' in body
    )
    assert "not stated" not in body
    assert 'id="table-dataset"' in body


def test_a_missing_figure_says_why_and_has_no_value(
    archive: Archive, english: Locale, tmp_path: Path
) -> None:
    """Out of memory is a word, sorts behind every figure, and an empty key of a row reads "not
    stated".
    """
    body = shown(
        archive,
        english,
        tmp_path,
        f'{ROW}, {{ run = "{OOM}", system = "system:aws-p3.8xlarge", claim = "" }}',
    )
    last = body.split("<tr>")[-1]

    assert re.search(
        r'<td class="ts-num">(<a [^>]+>)?<span class="ts-status ts-status--oom">out of memory', last
    )
    assert "not stated" in last


def test_a_remark_stands_below_its_table(archive: Archive, english: Locale, tmp_path: Path) -> None:
    """Rows with the same remark carry the same sign, which leads to it."""
    marked = ROW.replace(" }", ', mark = "heavy-preprocessing" }')
    body = shown(archive, english, tmp_path, f"{marked}, {ROW}, {marked}")

    assert (
        body.count('href="#table-dataset-heavy-preprocessing" aria-label="Note on this row">†</a>')
        == 2
    )
    assert body.count('id="table-dataset-heavy-preprocessing">† ') == 1


def test_a_time_is_written_as_hours_minutes_and_seconds(
    archive: Archive, english: Locale, tmp_path: Path
) -> None:
    """A column may ask for it; what is no time in seconds is refused."""
    columns = '{ head = "value", ref = "{time}", form = "duration" }'

    with pytest.raises(PageError, match=r"row 1, column 'value': .* is in 'images/s'"):
        shown(
            archive, english, tmp_path, f'{{ time = "run:{RUN}:throughput_images_per_s" }}', columns
        )


@pytest.mark.parametrize(
    ("row", "found"),
    [
        (
            '{ run = "none", system = "system:cloud-tpu-v2-8", claim = "" }',
            "row 1, column 'batch': .*no run 'none'",
        ),
        (
            f'{{ run = "{RUN}", system = "system:none", claim = "" }}',
            "row 1, column 'system': no system 'none'",
        ),
        (f'{{ run = "{RUN}", claim = "" }}', "row 1, column 'system': the row has no 'system'"),
        (
            f'{{ run = "{RUN}", system = "", claim = "none" }}',
            "row 1, column 'claim': no claim 'none'",
        ),
        (ROW.replace(" }", ', mark = "none" }'), "row 1: mark 'none' is not in"),
    ],
)
def test_a_wrong_row_is_named(
    archive: Archive, english: Locale, tmp_path: Path, row: str, found: str
) -> None:
    """File, table, row and column stand in the error."""
    with pytest.raises(PageError, match=rf"report\.toml: \[\[table\]\] dataset: {found}"):
        shown(archive, english, tmp_path, row)


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ('{ head = "batch" }', "column 'batch': wanted one of ref, name, verdict, field"),
        ('{ head = "batch", ref = "a", name = "b" }', "column 'batch': wanted one of"),
        ('{ ref = "a" }', "wanted a column such as"),
        ('{ head = "batch", ref = "a", form = "clock" }', "form is duration"),
        ('{ head = "batch", ref = "a", wide = true }', "unknown 'wide'"),
    ],
)
def test_a_wrong_column_is_named(
    archive: Archive, english: Locale, tmp_path: Path, columns: str, found: str
) -> None:
    """A definition that cannot be taken says where and what was wanted."""
    with pytest.raises(reports.ReportError, match=rf"\[\[table\]\] dataset.*{found}"):
        shown(archive, english, tmp_path, ROW, columns)
