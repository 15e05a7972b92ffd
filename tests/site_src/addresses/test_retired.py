"""Retired charts: what is kept of one is enough for every file that its address promises, and says
that it was removed.
"""

import json
import shutil
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

import build
from kernels import catalog, store
from kernels.audit.facts import Facts
from kernels.store import Archive
from site_src import charts, locales, questions
from site_src.addresses import retired, retired_files, retirement
from site_src.addresses.retired import RetireError
from site_src.addresses.retired_files import Still
from site_src.charts import downloads, embed, runtime
from site_src.charts.drawn import DrawnFigure, Options
from site_src.locales import Locale
from site_src.model import BuildOptions
from site_src.pages import site_of
from site_src.pages.components.writer import Writer
from site_src.pages.retired import retired_page
from site_src.verify import pictures
from tests.makers import transcribed
from tests.site_src import recorded
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
    return Options(chart_cache, date(2026, 12, 1), "https://example.org/")


@pytest.fixture(scope="module")
def live(archive: Archive, language: Locale, about: Options) -> DrawnFigure:
    """The chart while it is on the site: it has a preset."""
    known = catalog.load()
    found = [
        figure
        for figure in questions.figures(archive, known, Facts(archive, known))
        if figure.id == CHART
    ]
    return charts.draw(
        found, [language], runtime.build("full", about.cache), about, archive.sources
    )[CHART]


@pytest.fixture(scope="module")
def runs(live: DrawnFigure, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs in which it is retired."""
    folder = tmp_path_factory.mktemp("runs")
    retirement.write(folder / store.RETIRED / CHART, retirement.freeze(live, DAY, WHY))
    return folder


@pytest.fixture(scope="module")
def still(runs: Path, live: DrawnFigure, language: Locale, later: Locale, about: Options) -> Still:
    """What the site has of it from then on."""
    found, problems = retired.read(runs)
    assert not problems
    return retired_files.draw(found, [language, later], live.client, about)[CHART]


@pytest.fixture(scope="module")
def files(still: Still) -> dict[str, bytes]:
    """Its files."""
    return {asset.path: asset.content for asset in retired_files.assets({CHART: still})}


def test_every_promised_file_is_there(live: DrawnFigure, files: dict[str, bytes]) -> None:
    """In each language those of the chart while it was drawn, and nothing to draw it with;
    downloads are what they were.
    """
    before = {asset.path: asset.content for asset in charts._files(live)}
    expected = before.keys() | {
        name.replace("/en", "/de").replace(".en.", ".de.")
        for name in before
        if "/en" in name or ".en." in name
    }

    assert {name for name in files if name.startswith("c/")} == expected
    for name in ("data.csv", "data.parquet", "spec.en.json"):
        assert files[f"c/{CHART}/{name}"] == before[f"c/{CHART}/{name}"]
    assert files[f"c/{CHART}/cite.bib"] == before[f"c/{CHART}/cite.bib"].replace(
        b"2026-12-01", b"2026-11-22"
    )


def test_pictures_keep_their_marks_and_bear_the_notice(still: Still, live: DrawnFigure) -> None:
    """Chart and title as they were, the notice below; a preset's picture likewise. The card, which
    has no notes, says it too.
    """
    pairs = [
        (live.pictures["en"], still.pictures["en"]),
        (live.presets["en"]["relative"], still.presets["en"]["relative"]),
    ]
    for before, after in pairs:
        old, new = (pictures.texts(one["svg"].decode()) for one in (before, after))
        around = " ".join(new.roles.pop("", []))

        assert {role: words for role, words in old.roles.items() if role} == new.roles
        assert (old.title, old.desc) == (new.title, new.desc)
        assert WHY in around and "This chart was removed on 22 November 2026" in around
    assert still.pictures["en"]["page"] == live.pictures["en"]["page"]
    assert still.pictures["en"]["phone-dark"] == live.pictures["en"]["phone-dark"]
    assert still.pictures["en"]["card"] != live.pictures["en"]["card"]


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


def test_a_language_that_came_later_has_english_words_marked(
    still: Still, files: dict[str, bytes], later: Locale
) -> None:
    """Its frame and element say the words in English, and that they are; the notice is in the
    language, the reason in its own.
    """
    told = json.loads(
        files[f"c/{CHART}/data.de.js"].decode().removeprefix(embed.DATA).rstrip(";\n")
    )

    assert told["lang"] == "de" and '<h3 lang="en" dir="ltr">' in told["html"]
    assert f'<span lang="en">{WHY.replace("&", "&amp;")}</span>' in told["html"]
    assert 'xml:lang="en"' in still.pictures["de"]["svg"].decode()
    assert files[f"c/{CHART}/spec.de.json"] == files[f"c/{CHART}/spec.en.json"]
    assert retired_files.marked(still.figure, later) == ' lang="en" dir="ltr"'


def test_the_description_says_when_and_why(files: dict[str, bytes]) -> None:
    """And has the addresses of the pictures of presets, but no state that could be asked for."""
    meta = json.loads(files[f"c/{CHART}/meta.json"])

    assert meta["retired"] == {"day": "2026-11-22", "why": WHY}
    assert (
        meta["presets"]["relative"]["svg"]["de"] == f"https://example.org/c/{CHART}/de-relative.svg"
    )
    assert meta["runs"] and meta["licence"] and meta["rows"] == 4
    assert {column["name"]: column["unit"] for column in meta["columns"]}[
        "throughput"
    ] == "images/s"
    assert not {"state", "report"} & meta.keys()


def test_its_page_has_picture_notice_and_table(
    archive: Archive, still: Still, language: Locale, about: Options
) -> None:
    """Readable, with the runs that are still recorded, and off search engines and our own
    search.
    """
    known = catalog.load()
    site = site_of(archive, known, Facts(archive, known), {}, BuildOptions(DAY, about.base_url))

    page = retired_page(site, Writer(site, language, f"c/{CHART}/"), still)

    assert (page.noindex, page.in_search, page.image) == (True, False, f"c/{CHART}/en-card.png")
    assert (
        "This chart was removed on 22 November 2026" in page.body
        and f'src="../../../c/{CHART}/en-page.svg"' in page.body
    )
    assert page.body.count("about 2,839") == 1 and "Share of synthetic" in page.body
    assert 'href="../../runs/tpuv2-v100-tpu-imagenet-1024/"' in page.body
    assert "<script" not in page.head


@pytest.fixture(scope="module")
def summed(language: Locale, about: Options, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs in which a chart is retired whose table on the page summed it up."""
    folder, figure = tmp_path_factory.mktemp("summed"), recorded.drawn()[SUMMED]
    drawn = charts.draw(
        [figure], [language], runtime.build("full", about.cache), about, recorded.archive().sources
    )
    retirement.write(folder / store.RETIRED / SUMMED, retirement.freeze(drawn[SUMMED], DAY, WHY))
    return folder


def test_a_table_that_summed_it_up_is_kept(
    summed: Path, language: Locale, later: Locale, about: Options
) -> None:
    """As CSV and Parquet, byte for byte, with its columns in `meta.json`; in a language that came
    later in English words.
    """
    [one], problems = retired.read(summed)
    files = {
        asset.path: asset.content
        for asset in retired_files.kept_files(one, [language, later], about)
    }
    meta = json.loads(files[f"c/{SUMMED}/meta.json"])

    assert not problems
    before = downloads.tables(recorded.drawn()[SUMMED])
    assert {name: files[f"c/{SUMMED}/{name}"] for name in before} == before and set(
        downloads.TABLE
    ) < set(before)
    assert (
        meta["table_csv"] == f"https://example.org/c/{SUMMED}/table.csv" and meta["table_rows"] == 3
    )
    assert {"name": "low", "unit": "s", "meaning": {"en": "Lowest", "de": "Lowest"}} in meta[
        "table_columns"
    ]


def test_one_that_was_retired_without_that_table_stays_readable(
    summed: Path, language: Locale, about: Options, tmp_path: Path
) -> None:
    """Its folder is as it was written then; `meta.json` says that there is none, and `data.csv`
    stands in its place.
    """
    folder = tmp_path / store.RETIRED / SUMMED
    shutil.copytree(summed / store.RETIRED / SUMMED, folder)
    words = json.loads((folder / "chart.json").read_text("utf-8"))
    del words["table_columns"], words["table_rows"]
    (folder / "chart.json").write_text(json.dumps(words), "utf-8")
    for name in downloads.TABLE:
        (folder / name).unlink()

    [one], problems = retired.read(tmp_path)
    files = {
        asset.path: asset.content for asset in retired_files.kept_files(one, [language], about)
    }
    meta = json.loads(files[f"c/{SUMMED}/meta.json"])

    assert not problems and files[f"c/{SUMMED}/table.csv"] == files[f"c/{SUMMED}/data.csv"]
    assert {
        meta[name] for name in ("table_csv", "table_parquet", "table_columns", "table_rows")
    } == {None}


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        (None, "table_columns and table_rows"),
        ([{"name": "low", "unit": "s"}], "wants a name, a unit and a meaning in each of en"),
        (
            [{"name": "low", "unit": "s", "meaning": {"de": "Kleinstes"}}],
            "wants a name, a unit and a meaning in each of en",
        ),
        (["low"], "AttributeError"),
        ("low", "AttributeError"),
    ],
)
def test_half_a_description_of_the_table_is_refused(
    columns: object, fault: str, summed: Path, tmp_path: Path
) -> None:
    """What is named on the page and what is told in `meta.json` are one, in each language that the
    chart had.
    """
    folder = tmp_path / store.RETIRED / SUMMED
    shutil.copytree(summed / store.RETIRED / SUMMED, folder)
    words = json.loads((folder / "chart.json").read_text("utf-8"))
    (folder / "chart.json").write_text(json.dumps(words | {"table_columns": columns}), "utf-8")

    found, problems = retired.read(tmp_path)

    assert not found and fault in problems[0].reason


def test_a_lost_table_is_named(summed: Path, tmp_path: Path) -> None:
    """`chart.json` says that there is one."""
    folder = tmp_path / store.RETIRED / SUMMED
    shutil.copytree(summed / store.RETIRED / SUMMED, folder)
    (folder / "table.parquet").unlink()

    found, problems = retired.read(tmp_path)

    assert not found and [problem.path for problem in problems] == [folder / "table.parquet"]
    assert "is missing" in problems[0].reason


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("chart.json", None, "is missing"),
        ("chart.json", b'{"id":', "is no description of a retired chart"),
        ("chart.json", b'{"id": "x"}', "KeyError"),
        ("data.parquet", b"PAR1", "is no Parquet file"),
        ("data.csv", None, "is missing"),
        ("en.svg", b"<svg>", "is no SVG"),
        ("en-relative.svg", None, "is missing"),
        ("spec.en.json", b"{", "is no JSON"),
    ],
)
def test_a_damaged_folder_is_named_and_the_others_are_read(
    runs: Path, tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    """The file and what is wrong with it; a chart beside it is read all the same."""
    broken = tmp_path / store.RETIRED / CHART
    shutil.copytree(runs / store.RETIRED / CHART, broken)
    other = tmp_path / store.RETIRED / "other-chart"
    shutil.copytree(broken, other)
    words = (broken / "chart.json").read_text("utf-8")
    (other / "chart.json").write_text(
        words.replace(f'"id": "{CHART}"', '"id": "other-chart"'), "utf-8"
    )
    (broken / name).unlink()
    if content is not None:
        (broken / name).write_bytes(content)

    found, problems = retired.read(tmp_path)

    assert [one.id for one in found] == ["other-chart"]
    assert [problem.path for problem in problems] == [broken / name]
    assert message in problems[0].reason


def test_a_folder_is_written_once_and_whole(live: DrawnFigure, tmp_path: Path) -> None:
    """A second time is refused; what a stopped command left is named, and does not count."""
    folder = tmp_path / store.RETIRED / CHART
    folder.with_name(f".{CHART}.tmp").mkdir(parents=True)
    assert [problem.path.name for problem in retired.read(tmp_path)[1]] == [f".{CHART}.tmp"]
    retirement.write(folder, retirement.freeze(live, DAY, WHY))

    with pytest.raises(RetireError, match="was retired before"):
        retirement.write(folder, {})
    assert [path.name for path in folder.parent.iterdir()] == [CHART]


def test_a_chart_is_live_or_retired(still: Still) -> None:
    """Both at once is an error that says what to remove."""
    retired.hold([still.figure], ["another"])

    with pytest.raises(RetireError, match=rf"{CHART}: retired, and still on the site"):
        retired.hold([still.figure], [CHART])


def test_a_site_keeps_what_it_renamed_and_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Published, retired, removed, renamed: each step holds under --verify, and no list leads to
    what is gone.
    """
    folder = tmp_path / "runs"
    store.write(folder / "measured" / "one.parquet", [RUN])
    assert command(folder, "--ledger", "--base-url", "https://example.org/") == 0
    order = build.Order(
        folder,
        ("en",),
        BuildOptions(DAY, out=tmp_path, cache=build.HERE / ".cache", runtime="full"),
    )
    build.retire(order, build.read(order), "digits-cnn-convergence", WHY)

    assert command(folder) == 1
    assert "retired, and still on the site" in capsys.readouterr().err
    (folder / "measured" / "one.parquet").unlink()
    store.write(folder / "measured" / "one.parquet", [replace(RUN, evaluations=())])
    (folder / "moved.csv").write_text(
        "kind,id,to,day,why\nchart,digits-cnn-old,digits-cnn-convergence,2026-11-22,\n", "utf-8"
    )
    with (folder / "ledger.csv").open("a", encoding="utf-8") as ledger:
        ledger.write("chart,digits-cnn-old,,2026-11-20\n")
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
    for name in ("sitemap.xml", "llms.txt", "search/en.json", "feed.en.xml", "api/v1/charts.json"):
        assert "digits-cnn-convergence" not in (site / name).read_text("utf-8"), name


def test_the_repositorys_retired_charts_can_be_read(repository: Path) -> None:
    """None is damaged, whatever was retired."""
    assert retired.read(repository / "runs")[1] == []
