"""Retired charts: what is kept of one is enough for every file that its address promises, and says
that it was removed.
"""

import json
import re
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from kernels import catalog, store
from kernels.store import Archive
from site_src import charts, locales
from site_src.addresses import retired
from site_src.addresses.retired import Retired, RetireError
from site_src.charts import downloads, embed, runtime
from site_src.charts.drawn import DrawnFigure, Options
from site_src.cli.arguments import CACHE
from site_src.cli.building import retire
from site_src.cli.inputs import Order, read
from site_src.evidence import Evidence
from site_src.locales import Locale
from site_src.model import BuildOptions
from site_src.pages import site_of
from site_src.pages.components.writer import Writer
from site_src.pages.retired import retired_page
from site_src.verify import pictures
from tests.makers import transcribed
from tests.site_src import drawing, recorded
from tests.site_src.test_build import RUN, command

CHART = "tpuv2-v100-data"
SUMMED = "digits-cnn-steps"
DAY = date(2026, 11, 22)
WHY = "Two figures were read off a drawing & are wrong."


@pytest.fixture(scope="module")
def language(repository: Path) -> Locale:
    """The language that everything is kept in."""
    return locales.load(repository / "site_src" / "strings", ["en"])[0]


@pytest.fixture(scope="module")
def later(language: Locale) -> Locale:
    """A language that came when the chart was retired already."""
    return replace(language, code="de", name="Deutsch")


@pytest.fixture(scope="module")
def archive() -> Archive:
    """What one source prints."""
    return transcribed("tpuv2-v100")


@pytest.fixture(scope="module")
def about(chart_cache: Path) -> Options:
    """What charts are told of the site."""
    return Options(chart_cache, DAY, "https://example.org/")


@pytest.fixture(scope="module")
def live(archive: Archive, language: Locale, about: Options) -> DrawnFigure:
    """The chart while it is on the site: it has a preset."""
    known = catalog.load()
    found = [figure for figure in drawing.figures(Evidence(archive, known)) if figure.id == CHART]
    return drawing.draw(
        found, [language], runtime.build("full", about.cache), about, archive.sources
    )[CHART]


@pytest.fixture(scope="module")
def runs(live: DrawnFigure, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs in which it is retired."""
    folder = tmp_path_factory.mktemp("runs")
    retired.write(folder / store.RETIRED / CHART, retired.freeze(live, WHY))
    return folder


@pytest.fixture(scope="module")
def one(runs: Path) -> Retired:
    """What is kept of it."""
    [found], problems = retired.read(runs)
    assert not problems
    return found


@pytest.fixture(scope="module")
def files(one: Retired, language: Locale, later: Locale, about: Options) -> dict[str, bytes]:
    """Its files on a site from then on."""
    return {
        asset.path: asset.content
        for asset in retired.assets([one], [language, later], about.base_url)
    }


def test_every_promised_file_is_there(live: DrawnFigure, files: dict[str, bytes]) -> None:
    """In each language those of the chart while it was drawn, and nothing to draw it with;
    downloads are what they were.
    """
    before = {asset.path: asset.content for asset in charts.files(live)}
    expected = before.keys() | {
        name.replace("/en", "/de").replace(".en.", ".de.")
        for name in before
        if "/en" in name or ".en." in name
    }

    for_pages = {f"c/{CHART}/{name}" for name in ("share.js", "table.en.js", "table.de.js")}
    own = {f"c/{CHART}/{name}" for name in ("frame.js", "frame.css", "favicon.svg")}
    assert files.keys() == expected - for_pages | own
    for name in ("table.csv", "data.csv.gz", "data.parquet", "spec.en.json", "cite.bib"):
        assert files[f"c/{CHART}/{name}"] == before[f"c/{CHART}/{name}"]


def test_pictures_keep_their_marks_and_bear_the_notice(
    files: dict[str, bytes], live: DrawnFigure
) -> None:
    """Chart and title as they were, the notice below; a preset's picture likewise. The card, which
    has no notes, says it too.
    """
    folder = f"c/{CHART}/"
    for name, before in (
        ("en.svg", live.pictures["en"]["svg"]),
        ("en-relative.svg", live.presets["en"]["relative"]["svg"]),
    ):
        old, new = (pictures.texts(each.decode()) for each in (before, files[f"{folder}{name}"]))
        around = " ".join(new.roles.pop("", []))

        assert {role: words for role, words in old.roles.items() if role} == new.roles
        assert (old.title, old.desc) == (new.title, new.desc)
        assert WHY in around and "This chart was removed on 22 November 2026" in around
    assert files[f"{folder}en-page.svg"] == live.pictures["en"]["page"]
    assert files[f"{folder}en-phone.svg"] == live.pictures["en"]["phone"]
    assert files[f"{folder}en-card.png"] != live.pictures["en"]["card"]


def test_the_frame_needs_no_script_to_show_it(files: dict[str, bytes]) -> None:
    """Picture and notice stand in the document itself; a strict policy holds; no data, no runtime,
    no inline script.
    """
    text = files[f"c/{CHART}/embed.html"].decode()
    shown = text[text.index("<main>") : text.index("</main>")]

    assert (
        "removed on 22 November 2026" in shown
        and "drawing &amp; are wrong." in shown
        and 'src="en-page.svg"' in shown
    )
    assert 'http-equiv="Content-Security-Policy"' in text
    assert text.count("<script") == 1 and "data-runtime" not in text and " style=" not in text
    assert "https://example.org/; style-src" in text and "site.invalid" not in text
    assert {'src="frame.js"', f'href="../../c/{CHART}/frame.css"'} <= set(re.split("[ >]", text))


def test_a_language_that_came_later_has_english_words_marked(
    one: Retired, files: dict[str, bytes]
) -> None:
    """Its files are the English ones, which say that they are English."""
    told = json.loads(
        files[f"c/{CHART}/data.de.js"].decode().removeprefix(embed.DATA).rstrip(";\n")
    )

    assert ' lang="en" dir="ltr"' in told["html"] and 'src="en-page.svg"' in told["html"]
    assert one.language("de") == "en"
    for name in ("spec.{}.json", "{}-page.svg", "{}-relative.svg", "{}-card.png"):
        wanted = files[f"c/{CHART}/{name.format('en')}"]
        assert files[f"c/{CHART}/{name.format('de')}"] == wanted


def test_the_description_says_when_and_why(files: dict[str, bytes]) -> None:
    """And has the addresses of the pictures of presets, but no state that could be asked for."""
    meta = json.loads(files[f"c/{CHART}/meta.json"])

    assert meta["retired"] == {"day": "2026-11-22", "why": WHY, "page": "reports/tpuv2-v100/"}
    assert (
        meta["presets"]["relative"]["svg"]["en"] == f"https://example.org/c/{CHART}/en-relative.svg"
    )
    assert meta["runs"] and meta["licence"] and meta["rows"] == 4
    assert {column["name"]: column["unit"] for column in meta["columns"]}[
        "throughput"
    ] == "images/s"
    assert not {"state", "report"} & meta.keys()


def test_its_page_has_picture_notice_and_table(
    archive: Archive, one: Retired, language: Locale, about: Options
) -> None:
    """Readable, with the runs that are still recorded, and off search engines and our own
    search.
    """
    known = catalog.load()
    site = site_of(Evidence(archive, known), {}, BuildOptions(DAY, about.base_url))

    page = retired_page(Writer(site, language, f"c/{CHART}/"), one)

    assert (page.noindex, page.in_search, page.image) == (True, False, f"c/{CHART}/en-card.png")
    assert (
        "This chart was removed on 22 November 2026" in page.body
        and f'src="../../../c/{CHART}/en-page.svg"' in page.body
    )
    assert page.body.count("about 2,839") == 1 and "Share of synthetic" in page.body
    assert 'href="../../results/tpuv2-v100-tpu-imagenet-1024/"' in page.body
    assert "<script" not in page.head


@pytest.fixture(scope="module")
def summed(language: Locale, about: Options, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs in which a chart is retired whose table on the page summed it up."""
    folder, figure = tmp_path_factory.mktemp("summed"), recorded.drawn()[SUMMED]
    drawn = drawing.draw(
        [figure], [language], runtime.build("full", about.cache), about, recorded.archive().sources
    )
    retired.write(folder / store.RETIRED / SUMMED, retired.freeze(drawn[SUMMED], WHY))
    return folder


def test_a_table_that_summed_it_up_is_kept(summed: Path) -> None:
    """As CSV and Parquet, byte for byte, with its columns in `meta.json`."""
    [one], problems = retired.read(summed)

    assert not problems
    before = downloads.tables(recorded.drawn()[SUMMED])
    assert {name: one.files[name] for name in before} == before and {
        "table.csv",
        "table.parquet",
    } < set(before)
    assert one.meta["table_rows"] == 3
    assert {"name": "low", "unit": "s", "meaning": {"en": "Lowest"}} in one.meta["table_columns"]


def test_without_an_address_a_citation_has_none(one: Retired, language: Locale) -> None:
    """And all others are from the site's root."""
    files = {asset.path: asset.content for asset in retired.assets([one], [language], "")}

    assert b"url = {en/" not in files[f"c/{CHART}/cite.bib"]
    assert json.loads(files[f"c/{CHART}/meta.json"])["csv"] == f"c/{CHART}/data.csv.gz"
    assert not any(b"site.invalid" in content for content in files.values())


@pytest.mark.parametrize(
    "name", ["SHA256SUMS", "meta.json", "data.csv.gz", "en.svg", "page.en.json"]
)
@pytest.mark.parametrize("content", [None, b"{"])
def test_a_damaged_folder_is_named_and_the_others_are_read(
    runs: Path, tmp_path: Path, name: str, content: bytes | None
) -> None:
    """The file that is not as it was written; a chart beside it is read all the same."""
    broken = tmp_path / store.RETIRED / CHART
    shutil.copytree(runs / store.RETIRED / CHART, broken)
    shutil.copytree(broken, tmp_path / store.RETIRED / "other-chart")
    (broken / name).unlink()
    if content is not None:
        (broken / name).write_bytes(content)

    found, problems = retired.read(tmp_path)

    assert [one.id for one in found] == ["other-chart"]
    assert [problem.path for problem in problems] == [broken / name]


def test_a_folder_is_written_once_and_whole(live: DrawnFigure, tmp_path: Path) -> None:
    """A second time is refused; what a stopped command left is named, and does not count."""
    folder = tmp_path / store.RETIRED / CHART
    folder.with_name(f".{CHART}.tmp").mkdir(parents=True)
    assert [problem.path.name for problem in retired.read(tmp_path)[1]] == [f".{CHART}.tmp"]
    retired.write(folder, retired.freeze(live, WHY))

    with pytest.raises(RetireError, match="was retired before"):
        retired.write(folder, {})
    assert [path.name for path in folder.parent.iterdir()] == [CHART]


def test_a_site_keeps_what_it_renamed_and_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Published, retired, removed, renamed: each step holds under --verify, and no list leads to
    what is gone.
    """
    folder = tmp_path / "runs"
    store.write(folder / "measured" / "one.parquet", [RUN])
    assert command(folder, "--ledger", "--base-url", "https://example.org/") == 0
    order = Order(folder, ("en",), BuildOptions(DAY, out=tmp_path, cache=CACHE, runtime="full"))
    retire(order, read(order), "digits-cnn-convergence", WHY)

    assert command(folder) == 1
    assert "retired, and still on the site" in capsys.readouterr().err
    (folder / "measured" / "one.parquet").unlink()
    store.write(folder / "measured" / "one.parquet", [replace(RUN, evaluations=())])
    with (folder / "ledger.csv").open("a", encoding="utf-8") as ledger:
        ledger.write("chart,digits-cnn-old,,2026-11-20,digits-cnn-convergence,\n")
    assert command(folder, "--verify", "--ledger", "--base-url", "https://example.org/") == 0, (
        capsys.readouterr().err
    )

    site = tmp_path / "site"
    assert "was removed on" in (site / "en/c/digits-cnn-convergence/index.html").read_text("utf-8")
    assert "../digits-cnn-convergence/" in (site / "en/c/digits-cnn-old/index.html").read_text(
        "utf-8"
    )
    assert (site / "c/digits-cnn-old/en.png").read_bytes() == (
        site / "c/digits-cnn-convergence/en.png"
    ).read_bytes()
    for name in ("sitemap.xml", "llms.txt", "search/en.js", "feed.en.xml", "api/v1/charts.json"):
        assert "digits-cnn-convergence" not in (site / name).read_text("utf-8"), name


def test_the_repositorys_retired_charts_can_be_read(repository: Path) -> None:
    """None is damaged, whatever was retired."""
    assert retired.read(repository / "runs")[1] == []
