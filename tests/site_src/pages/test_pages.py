"""Pages made of the article that is transcribed in `runs/sources`, in English, in made-up languages
and with other numbers.
"""

import dataclasses
import re
import shutil
from collections import UserDict
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from markupsafe import Markup

from kernels import catalog
from kernels.audit.facts import Facts
from kernels.errors import TouchstoneError
from kernels.records import Metric, Setting, Stat, Target
from kernels.store import Archive
from site_src import reports
from site_src.charts import panel
from site_src.charts.parts import Words
from site_src.evidence import Evidence
from site_src.locales import Locale, load
from site_src.locales import strings as phrases
from site_src.model import BuildOptions, NavItem, Page
from site_src.pages import CONTENT, PageError, nav, pages, site_of
from site_src.pages.components import writer
from site_src.pages.components.writer import Writer
from site_src.pages.report.source import source_page
from site_src.pages.run.configuration import setting_value
from site_src.pages.system import system_page
from site_src.pages.workload import reference_name
from site_src.reports import findings, prose
from site_src.tables.curve import thinned
from site_src.verify.html import parsed
from tests.makers import chosen, transcribed
from tests.site_src import recorded
from tests.site_src.locales.said import lint
from tests.site_src.own import own_run
from tests.site_src.recorded import make_site
from tests.site_src.tongues import STRINGS

REPORT = "reports/tpuv2-v100/"
DETAILS = f"{REPORT}details/"
OPTIONS = BuildOptions(
    built=date(2026, 11, 20), issues="https://example.org/new?title={page}+{figure}"
)

FAMILIES = frozenset(
    """
    augmentation badge cell_column cell_row cell_text chart clock_scope clock_scope_meaning collapsed container data dataset doubted
    framework frontier implementation kind kind_meaning licence mode open_question origin origin_meaning pace parallelism part phase point
    precision price_remark recommended region representative review_party row_kind server_kind setting source stability statement status
    status_detail status_meaning stop_reason system verdict verdict_meaning workload_name
    """.split()  # noqa: SIM905 - it reads as what it is, a list of words
)
"""Groups of strings whose second part comes from the data or from an enumeration."""


class Charts:
    """In place of `charts`: nothing to load."""

    @staticmethod
    def head(*_: object) -> Markup:
        """Nothing to load."""
        return Markup()

    @staticmethod
    def calculator(*_: object) -> str:
        """Nothing to load, so no calculator."""
        return ""

    @staticmethod
    def card(id_: str, locale: Locale) -> str:
        """The card's address."""
        return f"c/{id_}/{locale.code}-card.png"


@dataclasses.dataclass(frozen=True)
class Chart:
    """A chart that nobody drew: its heading, and a link."""

    id: str
    page: str
    runs: tuple[str, ...]
    sheets: int = 0
    workloads: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """Where its files would be."""
        return f"c/{self.id}/"

    def words(self, _: Locale) -> Words:
        """What is said of it."""
        return Words("A title", "A heading", "A headline", (), (), (), ())

    def title(self, locale: Locale) -> str:
        """Its title."""
        return self.words(locale).title

    def heading(self, locale: Locale) -> str:
        """Its title with its subject."""
        return self.words(locale).heading

    def headline(self, locale: Locale) -> str:
        """What it says."""
        return self.words(locale).headline

    def html(self, part: str, _: Locale, _root: str, level: int = 3) -> Markup:
        """A figure with its heading, or a link to it."""
        shown = {
            "own page": '<figure class="ts-figure" id="{id}"><h1 id="top">A headline</h1></figure>',
            "panel": "",
        }
        block = '<figure class="ts-figure" id="{id}"><h{level}>A title</h{level}></figure>'
        return Markup(shown.get(part, block)).format(  # noqa: S704 - ours
            id=self.id, level=level
        )


class Gallery(UserDict[str, Chart]):
    """All of them."""

    client: Mapping[str, str] = MappingProxyType({})


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    """The articles and a measured run."""
    found = transcribed()
    return Evidence(dataclasses.replace(found, runs=(*found.runs, own_run())), catalog.load())


@pytest.fixture(scope="module")
def archive(evidence: Evidence) -> Archive:
    """What is recorded."""
    return evidence.archive


@pytest.fixture(scope="module")
def facts(evidence: Evidence) -> Facts:
    """Their figures."""
    return evidence.facts


def _undrawn(patch: pytest.MonkeyPatch) -> None:
    """Pages without what charts and panels load."""
    patch.setattr(writer, "charts", Charts)
    patch.setattr(panel, "head", Charts.head)


@pytest.fixture(autouse=True)
def _no_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    _undrawn(monkeypatch)


def drawn(archive: Archive) -> Any:
    """Charts as pages look at them."""
    found = {}
    for report in reports.load(CONTENT / "reports"):
        runs = tuple(run.run_id for run in archive.runs if run.source == report.source)
        rounds = {section.needs for section in report.sections}
        for id_ in report.charts:
            if id_ in rounds:
                continue  # drawn of the logs of rounds, which are not all in these archives
            page = f"reports/{report.id}/"
            found[id_] = Chart(id_, page, runs)
    return Gallery(found)


def written(
    evidence: Evidence, locales: list[Locale], content: Path = CONTENT, *, files: str = ""
) -> dict[str, Page]:
    """Pages by file; all of them, or those whose files look like this."""
    site = site_of(evidence, drawn(evidence.archive), OPTIONS, content)
    jobs = (job for job in pages(site, locales) if re.search(files, job.file))
    return {job.file: job.make() for job in jobs}


@pytest.fixture(scope="module")
def english(everywhere: dict[str, Page]) -> dict[str, Page]:
    """The English site."""
    return {file: page for file, page in everywhere.items() if page.language == "en"}


ALIKE = ("accelerators/", "c/", "compare/", "results/", "systems/", "workloads/")
"""Folders of pages that are many and alike but for their words."""


@pytest.fixture(scope="module")
def everywhere(evidence: Evidence) -> dict[str, Page]:
    """The site in each of its languages, made once: it takes seconds. Beside English they take turns
    where pages are alike; that each has all of them with the same figures, `--verify` holds.
    """
    first, *others = load(STRINGS)
    with pytest.MonkeyPatch.context() as patch:
        _undrawn(patch)
        site = site_of(evidence, drawn(evidence.archive), OPTIONS)
        made = {job.file: job.make() for job in pages(site, [first])}
        many = [page.path for page in made.values() if page.path.startswith(ALIKE)]
        for turn, locale in enumerate(others):
            left = set(many) - set(many[turn :: len(others)])
            jobs = (job for job in pages(site, [locale]) if job.path not in left)
            made |= {job.file: job.make() for job in jobs}
    return made


def text(body: str) -> str:
    """A body as one reads it, one line a row or paragraph."""
    spaced = re.sub(
        r"<(tr|p|li|h\d|dt|caption|section)\b",
        r"\n<\1",
        re.sub(r"(?<=[^\n])(?<!<tr>)<(td|th|dd)\b", r" | <\1", body),
    )
    plain = (
        re.sub(r"<[^>]+>", "", spaced.replace("<br>", " "))
        .replace("&#39;", "'")
        .replace("&#34;", '"')
        .replace("&amp;", "&")
    )
    return "\n".join(
        filter(None, (re.sub(r"[ \t]+", " ", line).strip() for line in plain.split("\n")))
    )


def test_every_page_of_the_plan_is_there(english: dict[str, Page]) -> None:
    """Home, lists, and a page for each report, system, workload, source, result and chart."""
    paths = {page.path for page in english.values()}

    assert {
        "",
        "reports/",
        "systems/",
        "workloads/",
        "sources/",
        "results/",
        "method/",
        "glossary/",
        "data/",
        REPORT,
        DETAILS,
    } <= paths
    assert {
        "systems/cloud-tpu-v2-8/",
        "systems/cpu-test/",
        "workloads/resnet50-imagenet/",
        "sources/tpuv2-v100/",
    } <= paths
    assert {
        "results/tpuv2-v100-v100-mxnet-synthetic-1024/",
        "runs/digits-cnn-cpu-20261120/",
        "c/tpuv2-v100-throughput/",
    } <= paths


def test_each_figure_is_what_its_reference_says(everywhere: dict[str, Page], facts: Facts) -> None:
    """Machine value and text of each figure agree with the facts, in each language's way of writing
    numbers, and each page has the same figures in each language in which it is made here.
    """
    locales = {locale.code: locale for locale in load(STRINGS)}
    found: dict[str, dict[str, set[tuple[str, str, str]]]] = {code: {} for code in locales}
    for page in everywhere.values():
        figures = parsed(page.body).figures
        found[page.language][page.path] = {(one.ref, one.value, one.end) for one in figures}
        for one in figures:
            fact = facts.get(one.ref)
            wanted = {"low": fact.low, "high": fact.high}.get(one.end, fact.value)
            assert float(one.value) == wanted, one.ref
            assert locales[page.language].shows(one.text, float(one.value)), (page.file, one)

    english = found["en"]
    assert all(
        figures == english[path] for pages in found.values() for path, figures in pages.items()
    )
    assert all(len(pages) > len(english) / 3 for pages in found.values())


BLANK = {
    "glossary/": "<td></td>",
    # the legend says what an empty cell of the matrix means
    "coverage/": r'<td( colspan="\d+")?></td>',
}
"""Cells that may stay empty, by page."""


def test_html_is_whole(english: dict[str, Page]) -> None:
    """Elements close, ids stand once, nothing is left blank in a table, and links inside the site
    are relative.
    """
    for page in english.values():
        read = parsed(f"<main>{page.body}</main>")
        assert read.unclosed == [], page.file
        assert read.twice == set(), page.file
        told = re.sub(BLANK[page.path], "", page.body) if page.path in BLANK else page.body
        assert not re.search(r"<(td|dd)[^>]*>\s*</\1>", told), page.file
        assert not re.search(r'href="/', page.body)


def test_links_lead_to_pages_and_anchors(english: dict[str, Page]) -> None:
    """Every link to a page of the site finds it, and the anchor on it."""
    anchors = {
        page.file.removesuffix("index.html"): parsed(page.body).ids for page in english.values()
    }
    for page in english.values():
        base = page.file.removesuffix("index.html")
        for href in re.findall(r'href="([^":]+)"', page.body):
            address, _, anchor = href.partition("#")
            path = address.partition("?")[0]
            parts = base.split("/")[:-1]
            for part in path.split("/"):
                if part == "..":
                    parts.pop()
                elif part not in ("", "."):
                    parts.append(part)
            target = "/".join(parts) + "/" if path else base
            if parts[0] != "en" or "." in parts[-1].replace("p3.8xlarge", ""):
                continue  # files below the site's root are other modules' affair
            assert target in anchors, (page.file, href)
            assert not anchor or anchor in anchors[target], (page.file, href)


def test_the_report_says_what_was_found(english: dict[str, Page]) -> None:
    """The article's figures are in the report, the marks of its systems in the details, what the
    audit recomputes on the source's page.
    """
    body = text(english[f"en/{DETAILS}index.html"].body).replace("\xa0", " ")
    audited = text(english["en/sources/tpuv2-v100/index.html"].body).replace("\xa0", " ")

    for wanted in ("3,186 images/s", "3,128 images/s", "USD 54.58", "USD 128.46", "USD 55.38"):
        assert wanted in body
    # one digit more than printed
    for wanted in ("475.5 images/s per USD/h", "USD 10.27/h", "372.4 images/s per USD/h"):
        assert wanted in audited
    assert "Total accelerator memory | 64 GB † | 64 GB | ✓ same" in body
    assert "≠ different" in body
    assert re.search(r"behind the MXNet one by about 3%\..*", body)
    assert "Russian (translated from English)" in body
    assert "not stated" in body
    assert (
        "At a global batch size of 1,024 on synthetic data, Cloud TPU v2-8 reaches 3,186 images/s, "
        "1.9% more" in body
    )


def test_the_verdicts_of_the_article(english: dict[str, Page]) -> None:
    """374 is rounding, "about 3 %" behind MXNet contradicts, 476 and 256 reproduce."""
    body = english["en/sources/tpuv2-v100/index.html"].body
    rows = re.findall(
        r'<(?:tr|li) id="(tpuv2-v100-[^"]+)".*?ts-badge--verdict-(\w+)', body, re.DOTALL
    )
    verdicts = dict(rows)

    assert verdicts["tpuv2-v100-tensorflow-behind-mxnet"] == "contradicts"
    assert sorted(set(verdicts.values())) == [
        "contradicts",
        "not_checkable",
        "reproduces",
        "rounding",
    ]
    assert sum(verdict == "contradicts" for verdict in verdicts.values()) == 1


def test_a_missing_field_reads_not_stated(english: dict[str, Page]) -> None:
    """A run's page names what its source leaves out; out of memory is a word with its reason."""
    body = text(english["en/results/tpuv2-v100-v100-mxnet-synthetic-1024/index.html"].body)

    unstated = next(line for line in body.splitlines() if line.startswith("Not stated | "))
    assert {"seed", "epochs planned"} <= set(unstated.removeprefix("Not stated | ").split(", "))
    assert "out of memory" in body
    assert "The batch was too large." in body


def test_a_measured_run_shows_its_curve_and_its_doubts(english: dict[str, Page]) -> None:
    """Environment, picture, doubts; what the machine did not tell is named."""
    page = english["en/runs/digits-cnn-cpu-20261120/index.html"]
    body = text(page.body).replace("\xa0", " ")

    assert page.shell == "light"
    assert page.body.count("<polyline") == 1
    assert "Step time varies by 7.0%" in body
    assert "Timing covers only 22 steps" in body
    assert "Machine | Test CPU, 2C, 8 GB" in body
    assert re.search(r"Not recorded: .*kernel", body)
    assert "CUDA" not in body  # a processor has none to record
    assert "median, 22 steps" in body.replace("\xa0", " ")


def test_a_name_in_another_language_is_marked(everywhere: dict[str, Page]) -> None:
    """The Russian title is marked as Russian on a Japanese page and not on a Russian one;
    attributes hold no marks.
    """
    found = everywhere
    title = "Сравнение Google TPUv2"

    for path in (
        f"{REPORT}index.html",
        "sources/index.html",
        "sources/tpuv2-v100/index.html",
        "data/index.html",
    ):
        japanese, russian = (found[f"{code}/{path}"].body for code in ("ja", "ru"))
        visible = re.sub(r'="[^"]*"', "", japanese)
        assert f'<span lang="ru">{title}' in japanese, path
        assert len(re.findall(title, visible)) == len(
            re.findall(rf"<span lang>(?:«)?{title}", visible)
        ), path
        assert 'lang="ru"' not in russian, path
        assert not re.search(r'="[^"]*<span', japanese), path


def test_parts_are_joined_as_the_language_does(everywhere: dict[str, Page]) -> None:
    """Places, brackets, colons and durations in Japanese carry no English punctuation."""
    pages_ = everywhere
    report, source = (
        text(pages_[f"ja/{path}index.html"].body) for path in (DETAILS, "sources/tpuv2-v100/")
    )

    assert "表1、行2、列1" in report
    assert "1.7.0(復元)" in report
    assert "記載なし：" in report
    assert not re.search(r"[ぁ-ん一-龥](?:, |: |; | \()", source)
    assert recorded.spoken("ja").duration(29_340) == "8時間9分"


def test_a_claim_as_input_is_a_link(english: dict[str, Page]) -> None:
    """What repeats a claim names its place in a few words and leads to it."""
    body = english["en/sources/tpuv2-v100/index.html"].body

    assert re.search(
        r'<a href="#tpuv2-v100-[a-z0-9-]+">claim \(table 1, row \d, column \d\)</a>: ', body
    )
    assert not re.search(r"\.: <", body)


def test_figures_read_alike_everywhere(english: dict[str, Page]) -> None:
    """A clock keeps its printed decimals, money per hour has its currency in front, and what
    follows from "about" is "about".
    """
    report = text(english[f"en/{DETAILS}index.html"].body).replace("\xa0", " ")
    system = text(english["en/systems/aws-p3.8xlarge/index.html"].body).replace("\xa0", " ")
    home = text(english["en/index.html"].body).replace("\xa0", " ")

    assert "Processor clock | 2.3 GHz (reconstructed) | 2.30 GHz (reconstructed) | ✓ same" in report
    assert "Provider | Google Cloud | AWS | by design" in report
    assert "Processor clock | 2.30 GHz" in system
    assert "USD 12.2/h" in system
    assert "comes to about USD 10.27/h at 730 hours" in report
    for page in (report, home):
        assert not re.search(r"(?<!about )USD (?:54\.58|128\.46|88\.45)", page)
    assert "TensorFlow 1.7.0 (reconstructed); Debian 9" in report


def test_names_with_a_number_stay_on_one_line(english: dict[str, Page]) -> None:
    """`4 × V100` has no space to break at, and ResNet-50 none in headings and cells."""
    assert "4\xa0×\xa0V100" in english["en/systems/index.html"].body
    assert not any(
        re.search(r"\d × V", re.sub(r'="[^"]*"', "", page.body)) for page in english.values()
    )
    assert (
        "tabindex=-1>Cloud TPU <span class=ts-kept>v2-8</span></h1>"
        in english["en/systems/cloud-tpu-v2-8/index.html"].body
    )


def test_a_report_shows_runs_of_the_same_workload_from_elsewhere(archive: Archive) -> None:
    """A measured run of ResNet-50 stands in the report on ResNet-50 and on the workload's page,
    labelled by its origin.
    """
    archive = dataclasses.replace(
        archive, runs=(*archive.runs, dataclasses.replace(own_run(), workload="resnet50-imagenet"))
    )
    shown = f"{DETAILS}|/workloads/resnet50-imagenet/"
    found = written(Evidence(archive, catalog.load()), load(STRINGS, ["en"]), files=shown)
    row = r'<a href="?[./]*runs/digits-cnn-cpu-20261120/"?>.*?ts-badge--origin-measured'

    assert re.search(
        row,
        found[f"en/{DETAILS}index.html"].body.partition('<h2 id="beside">')[2].partition("<h2")[0],
        re.DOTALL,
    )
    listed = found["en/workloads/resnet50-imagenet/results/index.html"].body
    assert re.search(row, listed, re.DOTALL)


def test_a_time_to_target_is_readable(archive: Archive) -> None:
    """Beside 18,091 s stand 5 h 2 min; epochs, samples and time to one target share a row; a best
    epoch is one, not a number of them.
    """
    target = Target("top1", 0.749)
    metrics = (
        Metric("best_accuracy", 0.75, n=17, stat=Stat.MAX),
        Metric("best_accuracy_epoch", 62.0, "epochs", n=1),
        Metric("epochs_to_target", 62.0, "epochs", n=1, target=target),
        Metric("time_to_target_s", 18_091.0, "s", n=1, target=target),
    )
    archive = dataclasses.replace(
        archive,
        runs=(*archive.runs, dataclasses.replace(own_run(), run_id="timed", metrics=metrics)),
    )
    found = written(Evidence(archive, catalog.load()), load(STRINGS, ["en"]), files="/timed/")
    body = text(found["en/runs/timed/index.html"].body).replace("\xa0", " ")

    assert "Figures (1 run)" in body
    assert "Best accuracy | 75.0% epoch 62, maximum, 17 evaluations" in re.sub(
        r"[ \xa0]+", " ", body
    )
    assert re.search(
        r"To the target \(top-1 accuracy ≥ 74\.9%\) \| 62 epochs; 18,091 s +5 h 2 min", body
    )


def test_settings_are_said_in_the_language() -> None:
    """Known words have a label and a translation; a log's own word stays as it is, as code."""
    site = make_site(Archive(), options=OPTIONS)
    page = Writer(site, recorded.spoken("ru"), "runs/x/")

    assert setting_value(page, Setting("momentum", "0.9")) == "0,9"
    assert (
        setting_value(page, Setting("opt_name", "stochastic_gradient_descent_with_momentum"))
        == "SGD с импульсом"
    )
    assert setting_value(page, Setting("opt_x", "as_logged")) == "<code>as_logged</code>"
    assert setting_value(page, Setting("pinned_memory", "yes")) == "да"
    assert (
        setting_value(page, Setting("operation", "host_to_device_copy"))
        == "копирование с хост-машины на устройство"
    )
    assert (
        setting_value(page, Setting("split", "last choice of each user held out"))
        == "последний выбор каждого пользователя отложен для валидации"
    )
    assert setting_value(page, Setting("split", "1437/360 stratified, seed 2026")).replace(
        "\xa0", " "
    ) == ("обучение: 1 437, контроль: 360; со стратификацией, seed 2026")
    assert (
        setting_value(page, Setting("judged_against", "100 sampled films, seed 0"))
        == "случайно выбранные фильмы: 100; seed 0"
    )
    assert page.field("opt_x", "setting") == "<code>opt_x</code>"
    assert page.field("opt_name", "setting") == "Оптимизатор"


def test_a_reference_is_named_by_repository_and_file() -> None:
    """Neither commit nor the folders between say what it is."""
    url = "https://github.com/mlcommons/training_results_v0.5/blob/c71f2e/v0.5.0/google/cloud_v2.8/resnet/results/tpu/resnet/result_4.txt"

    assert reference_name(url) == "training_results_v0.5 · results/tpu/resnet/result_4.txt"
    assert reference_name("https://example.org/paper.pdf") == "example.org/paper.pdf"


def test_scores_stand_on_source_and_system(archive: Archive) -> None:
    """Five runs of a submission give the mean of the middle three, marked as unverified; fewer give
    none.
    """
    [source] = [one for one in chosen().sources if one.source == "mlperf-v0.5-google"]
    runs = [run for run in chosen().runs if run.source == source.source]
    archive = dataclasses.replace(
        archive, runs=(*archive.runs, *runs), sources=(*archive.sources, source)
    )
    fewer = dataclasses.replace(
        archive, runs=tuple(run for run in archive.runs if run.repeat_index != 0)
    )
    full, few = (
        Writer(make_site(each), recorded.english(), "sources/x/") for each in (archive, fewer)
    )

    for page, row in (
        (source_page(full, source), r"closed \| 301\.58 min ?unverified \| 5 \| 5"),
        (
            system_page(full, full.site.machines["cloud-tpu-v2-8"]),
            r"v0\.5 \(2018\) \| 301\.58 min \| [\d.]+–[\d.]+ min \| 5 \|",
        ),
    ):
        body = text(page.body).replace("\xa0", " ")
        assert re.search(row, body), page.path
        assert "neither verified by MLCommons" in body
    assert "no score: the rules require a different number of runs" in source_page(few, source).body


def test_result_page_reads_as_expected(english: dict[str, Page]) -> None:
    """The page of one result, as text, is the copy in `expected/`; a change of it is a change one can
    read.
    """
    expected = Path(__file__).parents[1] / "expected" / "result.txt"
    found = text(english["en/results/tpuv2-v100-tpu-imagenet-1024/index.html"].body)

    assert found == expected.read_text(encoding="utf-8").rstrip("\n")


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A copy of the texts that a test may spoil, also as two made-up languages."""
    folder = tmp_path / "content"
    shutil.copytree(CONTENT, folder, ignore=shutil.ignore_patterns("ru", "ja", "es", "words.csv"))
    for code in ("qps", "qpr"):
        shutil.copytree(folder / "en", folder / code)
    return folder


def test_navigation_leads_to_curated_pages(evidence: Evidence) -> None:
    """Sections in order; reports, systems, workloads and sources have their pages below them, results
    do not.
    """
    tree = nav(evidence, recorded.english())

    sections = (
        "compare reports systems accelerators workloads measured seeds software throughput "
        "coverage costs prices sources results method glossary data"
    )
    assert [item.section for item in tree.children] == sections.split()
    below = {item.section: item.children for item in tree.children}
    assert REPORT in [item.path for item in below["reports"]]
    assert below["results"] == ()


def test_a_source_that_has_no_name_of_ours_is_marked_in_the_menu(archive: Archive) -> None:
    """An English title says so in a Russian menu; in an English one, and where we have a name for
    the source, there is nothing to say.
    """
    log = dataclasses.replace(
        archive.sources[0], source="some-log", title="A log of training", language="en"
    )
    found = dataclasses.replace(archive, sources=(*archive.sources, log))
    menus = {
        locale.code: nav(Evidence(found, catalog.load()), locale)
        for locale in load(STRINGS, ["en", "ru"])
    }
    marked = {
        code: [(one.title, one.language) for one in _cited(tree) if one.language]
        for code, tree in menus.items()
    }

    assert marked == {"en": [], "ru": [(log.title, "en")]}


def _cited(tree: NavItem) -> tuple[NavItem, ...]:
    return next(item.children for item in tree.children if item.section == "sources")


def test_a_summary_that_is_too_long_stops_the_build(evidence: Evidence, content: Path) -> None:
    """A summary has a hundred words at most; the error names the file."""
    path = content / "en/reports/tpuv2-v100.md"
    path.write_text(path.read_text().replace("\n\n***", "\n\n" + "word " * 90 + "\n\n***", 1))

    with pytest.raises(
        PageError, match=r"tpuv2-v100\.md: the summary has \d+ words, wanted 100 or fewer"
    ):
        written(evidence, load(STRINGS, ["en"]), content)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("## Review {#review}", "## Review {#reviews}", "sections .*reviews; .*wants"),
        ("count:claims", "cost:claims", "cost:claims"),
        ("price:gcp-cloud-tpu-v2-8-on-demand-2018", "price:gone", "no price 'gone'"),
        ("***", "", "too few parts"),
        ('{{ rule("month_hours") }}', "{{ month_hours }}", "'month_hours' is undefined"),
    ],
)
def test_errors_name_file_and_place(
    evidence: Evidence, content: Path, old: str, new: str, complaint: str
) -> None:
    """A text or definition that does not fit is named with what was found and what was wanted."""
    for path in (
        content / "en/reports/tpuv2-v100/details.md",
        content / "reports/tpuv2-v100/report.toml",
    ):
        path.write_text(path.read_text().replace(old, new, 1))

    with pytest.raises(TouchstoneError, match=complaint) as error:
        written(evidence, load(STRINGS, ["en"]), content)
    assert "tpuv2-v100" in str(error.value)


def test_a_finding_that_the_data_do_not_bear_stops_the_build(
    evidence: Evidence, content: Path
) -> None:
    """A condition that no longer holds is an error with the finding's name."""
    path = content / "reports/tpuv2-v100/report.toml"
    path.write_text(
        path.read_text().replace(
            '"spec:tpu-v2:power@tpuv2-v100 is missing"', '"number:2 < number:1"'
        )
    )

    with pytest.raises(
        reports.ReportError, match="finding 'power': number:2 < number:1 no longer holds"
    ):
        written(evidence, load(STRINGS, ["en"]), content)


def test_the_order_of_a_finding_comes_from_the_data(facts: Facts) -> None:
    """Entries are ranked by their figures; equal ones make a tie."""
    report = reports.read(CONTENT / "reports/tpuv2-v100/report.toml")
    finding = next(found for found in report.findings if found.id == "throughput")
    turned = dataclasses.replace(finding, order="lowest")
    tie = dataclasses.replace(finding, tie_percent=5.0)

    assert findings.sentence(finding, report, facts).names["first"] == "system:cloud-tpu-v2-8"
    assert findings.sentence(turned, report, facts).names["first"] == "system:aws-p3.8xlarge"
    assert findings.sentence(tie, report, facts).key == "finding.tpuv2-v100.throughput.tie"


def test_an_undefined_name_in_a_template_is_named_with_its_line(archive: Archive) -> None:
    """Template, line, page and language stand in the error."""
    site = make_site(archive, options=OPTIONS)

    with pytest.raises(
        PageError, match=r"templates/\w+\.html:\d+: 'title' is undefined; page en/method/"
    ):
        Writer(site, recorded.english(), "method/").render("plain.html", lead="", sections=[])


def test_a_figure_leads_to_where_it_comes_from(archive: Archive) -> None:
    """Runs, prices, printed tables and claims have a place; a formula over several has none, nor
    has one on that page itself.
    """
    site = make_site(archive, options=OPTIONS)
    page = Writer(site, recorded.english(), "method/")

    assert (
        page.origin_of("run:tpuv2-v100-tpu-synthetic-1024:throughput_images_per_s")
        == "results/tpuv2-v100-tpu-synthetic-1024/"
    )
    assert (
        page.origin_of("price:aws-p3.8xlarge-on-demand-2018:amount")
        == "systems/aws-p3.8xlarge/#prices"
    )
    assert (
        page.origin_of("cell:tpuv2-v100:dataset:classes:count")
        == "sources/tpuv2-v100/#table-dataset"
    )
    assert (
        page.origin_of("claim:tpuv2-v100-memory-total-tpu:printed")
        == "sources/tpuv2-v100/#tpuv2-v100-memory-total-tpu"
    )
    assert page.origin_of("sum(number:1, number:2)") is None
    assert (
        Writer(site, page.locale, "systems/aws-p3.8xlarge/").origin_of(
            "price:aws-p3.8xlarge-on-demand-2018:amount"
        )
        is None
    )


def test_pictures_keep_the_outliers() -> None:
    """A long series is thinned to its extremes, stretch by stretch."""
    series = [(float(index), 1.0) for index in range(1000)]
    series[500] = (500.0, 9.0)

    kept = thinned(series, 120)

    assert len(kept) <= 121
    assert (500.0, 9.0) in kept


def texts(repository: Path) -> Iterator[tuple[str, str]]:
    """Code, templates, texts and data that may name a string."""
    for pattern in (
        "site_src/**/*",
        "kernels/*.py",
        "kernels/catalog/*",
        "runs/sources/**/*",
        "build.py",
    ):
        for path in sorted(repository.glob(pattern)):
            if (
                path.suffix in {".py", ".html", ".js", ".md", ".csv", ".toml"}
                and path.parent != STRINGS
                and path.name != "words.csv"
                and "overrides/partials" not in str(path)
            ):
                yield str(path.relative_to(repository)), path.read_text(encoding="utf-8")


def test_every_string_is_said_and_every_said_string_is_there(repository: Path) -> None:
    """No string is missing, and none is dead."""
    locale = recorded.english()

    assert lint(locale.path, locale.strings, dict(texts(repository)), FAMILIES) == []


def test_a_report_says_its_own_words(repository: Path) -> None:
    """Each key of a report's words is in its source, its definition or its text, and what several
    say is in those of two reports or more.
    """
    folder = CONTENT / "reports"
    said = {
        path.parent.name: _words(
            path,
            CONTENT / "en" / "reports" / f"{path.parent.name}.md",
            *(repository / "runs" / "sources" / path.parent.name).rglob("*"),
        )
        for path in folder.glob("*/report.toml")
    }

    unsaid = []
    for path in folder.rglob("words.csv"):
        own = {path.parent.name} & said.keys()
        for key in phrases.read_words(path, ["en"])["en"]:
            group, _, name = key.partition(".")
            if group in {"finding", "badge"}:
                of, _, name = name.partition(".")
                assert {of} == own
            by = {report for report, words in said.items() if name.partition(".")[0] in words}
            if not (own <= by if own else len(by) > 1):
                unsaid.append(f"{path}: {key}")

    assert said
    assert unsaid == []


def _words(*paths: Path) -> set[str]:
    """The words of files and of their names."""
    texts = [f"{path.stem} {path.read_text('utf-8')}" for path in paths if path.is_file()]
    return set(re.findall(r"[A-Za-z0-9_-]+", "\n".join(texts)))


def test_texts_cite_recorded_sources(archive: Archive, english: dict[str, Page]) -> None:
    """What a text says of a source's cells stands on its page, and every source that a text so
    cites is one of the archive's.
    """
    cited = {
        name
        for path in CONTENT.rglob("*.md")
        for name in re.findall(r"\bcell:([\w.-]+):", path.read_text("utf-8"))
    }

    assert cited <= {source.source for source in archive.sources}
    assert (
        "cell:rtx2080ti-colab-tpu:network-sizes:cnn10-parameters:value"
        in english["en/workloads/cnn10-cifar10/index.html"].body
    )


def test_texts_hold_no_figures_of_their_own() -> None:
    """Figures in prose are references; each language has the same files, sections and figures."""
    assert list(prose.lint(CONTENT)) == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("It took 12 hours.", "figure '12'"),
        ("About 3.5 times.", "figure '3.5'"),
        ("V100s are V1000.", "figure '1000'"),
    ],
)
def test_a_figure_by_hand_is_found(content: Path, line: str, complaint: str) -> None:
    """A digit outside a reference is named with file and line; names on the list pass."""
    (content / "names.txt").write_text("V100\n")
    for folder in ("qps", "qpr"):
        shutil.rmtree(content / folder)
    for path in (content / "en").rglob("*.md"):
        path.write_text("# Title\n\nA V100.\n")
    (content / "en/home.md").write_text(f"# Title\n\n{line}\n")

    found = list(prose.lint(content))

    assert len(found) == 1
    assert f"home.md:3: {complaint}" in found[0]


def test_a_language_that_shows_other_figures_is_found(content: Path) -> None:
    """A translation that lost a figure, a section or a file is named."""
    path = content / "qps/reports/tpuv2-v100/details.md"
    path.write_text(
        path.read_text().replace('{{ fig("spec:tpu-v2:power@tpuv2-v100") }}', "nothing")
    )
    (content / "qpr/home.md").unlink()

    found = "\n".join(prose.lint(content))

    assert "section 'sides' does not show the same figures and links" in found
    assert "qpr/home.md: missing" in found


def test_headings_need_an_id(tmp_path: Path) -> None:
    """A section without an id, and a page without a title, are refused with the line."""
    path = tmp_path / "page.md"
    path.write_text("# Title\n\n## No id\n")
    with pytest.raises(prose.ProseError, match=r"page\.md:3: .*needs an id"):
        prose.read(path)
    path.write_text("No title\n")
    with pytest.raises(prose.ProseError, match=r"page\.md:1: .*wanted '# '"):
        prose.read(path)


def test_words_are_counted_in_scripts_without_spaces() -> None:
    """Two Japanese characters count as a word; a number is one."""
    assert prose.words("Four words, 3,186 here") == 4
    assert prose.words("訓練時間") == 2
