"""What the page of a system says of its accelerators, and the table of their names."""

import re
from dataclasses import replace

from markupsafe import Markup

from kernels.records import Environment, Metric, Run
from kernels.store import Archive
from site_src.pages import system
from site_src.pages.components import ranks, run_list
from site_src.pages.components.writer import Writer
from site_src.pages.coverage import coverage_page
from site_src.pages.run import configuration
from site_src.pages.system import systems_page
from tests.makers import make_run
from tests.site_src.pages.conftest import Written
from tests.site_src.reading import plain
from tests.site_src.recorded import page_at
from tests.site_src.submitted import submission


def test_other_names_of_an_accelerator_are_shown(written: Written) -> None:
    """On the page of a system that has it, and in the table of all; both from the catalogue."""
    page = written("systems/")
    about = plain(system.about(page, page.site.machines["nvidia-gb200-8x"]))
    names = plain(system.names(page))

    assert "lso written as GB200; NVIDIA GB200; NVIDIA Blackwell GPU (GB200)" in about
    assert "Google TPU v2 TPUv2; Cloud TPU v2; tpuv2-8" in names
    assert "AMD Instinct MI300X MI300X; AMD Instinct MI300X 192GB HBM3" in names


def test_a_system_of_several_machines_says_so(written: Written) -> None:
    """Sixteen hosts hold the chips of a TPU v4-128; what is said of the host is said of one. A
    single machine needs no number.
    """
    page = written("systems/")
    several, one = (
        plain(system.about(page, page.site.machines[id_]))
        for id_ in ("cloud-tpu-v4-128", "nvidia-dgx-1")
    )

    assert "Machines 16 ; processor and main memory are for one machine" in several
    assert "Machines" not in one


def test_one_gpu_of_a_board_has_its_own_memory(written: Written) -> None:
    """12 GB of the K80 of a p2.xlarge: half of what another source, which is named, states of the
    board; its runs alike.
    """
    page = written("systems/")
    machine = page.site.machines["aws-p2.xlarge"]
    text = plain(system.about(page, machine))
    whole = plain(Markup(system.system_page(page, machine).body))  # noqa: S704 - our own page
    [run, *_] = page.site.runs_of(system="aws-p2.xlarge")

    assert "12 GB ( reconstructed )" in text and "Machine Learning Hardware" in text
    assert "24 GB" not in whole
    assert "This board carries two GPUs" in whole
    told = {name: plain(value) for name, value in configuration.rows(page, run)}
    assert told[page.field("memory_total")] == "12 GB"


def test_a_processor_that_trains_has_its_name() -> None:
    """On its page, once, in the list of systems and in the table of what was measured; its id is
    for addresses.
    """
    known = Environment(cpu_model="Toy 1")
    page = page_at("systems/", make_run("one", accelerator="cpu-toy", environment=known))
    bodies = [each(page).body for each in (systems_page, coverage_page)]

    assert plain(system.what(page, page.site.machines["toy-box"])) == "Toy 1"
    assert "Toy 1" in bodies[0]
    assert not any("cpu-toy" in body for body in bodies)


def test_withdrawn_runs_are_said_not_to_be_counted(articles: Archive) -> None:
    """On the pages of their system and of their workload, with the way to them; nothing where none
    was withdrawn.
    """
    first, *others = (run for run in articles.runs if run.source == "rtx2080ti-colab-tpu")
    withdrawn = replace(first, withdrawn="measured with the wrong data")
    page = page_at("sources/", withdrawn, *others, sources=articles.sources)

    for of in ({"system": first.system}, {"workload": first.workload}):
        assert plain(run_list.withdrawn(page, **of)) == "Withdrawn and not counted: 1"
        assert 'results/#withdrawn"' in run_list.withdrawn(page, **of)
    assert run_list.withdrawn(page, system="colab-tpu-v2-8") == ""


def test_results_and_prices_stand_before_what_a_system_is(written: Written) -> None:
    """Host, specifications and providers come last, each folded; one way back to the top."""
    page = written("systems/cloud-tpu-v2-8/")
    body = system.system_page(page, page.site.machines["cloud-tpu-v2-8"]).body

    found = re.findall(r"<h2 id=(\w+)", body)
    assert [*found[:1], *found[-3:]] == ["runs", "about", "specifications", "availability"]
    assert found.index("costs") < found.index("prices") < found.index("about")
    for id_ in ("about", "specifications", "availability"):
        assert re.search(rf"<h2 id={id_}>[^<]*</h2>\s*<details>", body)
    assert body.count("href=#top") == 1


def test_a_system_begins_with_its_numbers(written: Written) -> None:
    """The hour of the whole machine with its day, the power of all its cards; what is not known has
    no row.
    """
    page = written("systems/")
    several = system.numbers(page, page.site.machines["aws-p3.8xlarge"])
    text = plain(several)
    price = re.search(r"price:([\w.-]+):per_hour", several)

    assert price and page.site.prices[price[1]].system == "aws-p3.8xlarge"
    assert "Price per hour" in text and "Power of the accelerators (TDP) 1,200" in text
    assert "Newest score" not in text


def test_a_system_shows_its_newest_score_with_its_place() -> None:
    """Among those of its benchmark and round, however many an older round had."""
    first = submission("v0.5", 2018, [10.0] * 5, [60.0] * 5)
    faster = [
        replace(run, run_id=f"{run.run_id}x", system="box", source="mlperf-v0.5-other")
        for run in submission("v0.5", 2018, [5.0] * 5, [60.0] * 5)
    ]
    later = [
        replace(run, run_id=f"later-{run.run_id}", system="box", workload="bert-wikipedia")
        for run in submission("v0.7", 2020, [7.0] * 10, [60.0] * 10)
    ]

    def said(id_: str, *runs: Run) -> str:
        page = page_at("systems/", *runs)
        return plain(system.numbers(page, page.site.machines[id_]))

    assert "Rank 1 of 2" in (fast := said("box", *first, *faster)) and "5" in fast
    assert "Rank 2 of 2" in (slow := said("nvidia-dgx-1", *first, *faster)) and "10" in slow
    assert "BERT" in (new := said("box", *first, *faster, *later)) and "7" in new


def _three_submissions() -> Writer:
    """Of ten, five and forty minutes, on DGX-1, box and barn, one benchmark and round."""
    runs = [
        replace(run, run_id=f"{name}-{run.run_id}", system=name, source=f"mlperf-v0.5-{name}")
        for name, minutes in (("nvidia-dgx-1", 10.0), ("box", 5.0), ("barn", 40.0))
        for run in submission("v0.5", 2018, [minutes] * 5, [60.0] * 5)
    ]
    return page_at("systems/", *runs)


def test_a_system_stands_among_all_others_in_a_picture() -> None:
    """A mark for each result, the best at the left, distances as ratios: twice the time of the
    fastest is a third of the way to eight times. Its own mark comes last; its place is text.
    """
    shown = ranks.picture(_three_submissions(), "nvidia-dgx-1")

    assert 'd="M0 .5h0M33.3 .5h0M100 .5h0"' in shown
    assert 'd="M33.3 .5h0"' in shown
    assert "Rank 2 of 3" in plain(shown) and "10.00 min" in plain(shown)
    assert shown.index("5.00") < shown.index("40.00")


def test_a_throughput_is_ranked_where_there_is_no_score(written: Written) -> None:
    """Of the same data and mode; a system alone with its workload has no picture."""
    page = written("systems/")
    own = plain(ranks.picture(page, "aws-p3.8xlarge"))
    alone = ranks.picture(_three_submissions(), "no-such-system")

    assert "Throughput · real data" in own and "Rank 1 of 2" in own
    assert alone == ""


def test_throughputs_of_two_sources_have_no_places() -> None:
    """Each times with code of its own: the picture would rank harnesses."""
    runs = [
        make_run(
            f"{system}-{source}",
            system=system,
            source=source,
            metrics=(Metric("throughput_images_per_s", value, "images/s"),),
        )
        for system, source, value in (("a", "ours", 3.0), ("b", "ours", 2.0), ("c", "theirs", 4.0))
    ]
    page = page_at("systems/", *runs)

    assert "Rank 1 of 2" in plain(ranks.picture(page, "a"))
    assert ranks.picture(page, "c") == ""


def test_results_are_rows_that_say_everything_once() -> None:
    """Score, how far the runs lie apart, their number, round, epochs and batch: in one table."""
    page = _three_submissions()
    body = system.system_page(page, page.site.machines["nvidia-dgx-1"]).body

    results = body[body.index("id=runs") : body.index("id=about")]
    assert results.count("<table") == 1 and "10.00" in results
    for head in (" Score", "Fastest to slowest run", " Runs ", " Round ", "Epochs to the target"):
        assert plain(Markup(results)).count(head) == 1, head  # noqa: S704 - our own page


def test_a_system_says_in_a_line_what_it_is(written: Written) -> None:
    """How many of which accelerator, the processor, who offers it; why it is here is told below."""
    page = written("systems/")
    machine = page.site.machines["aws-p3.8xlarge"]
    body = system.system_page(page, machine).body

    assert plain(system.what(page, machine)).startswith("4 × NVIDIA V100 SXM2 16 GB · Xeon E5-2686")
    assert body.index("published comparison") > body.index("id=about")


def test_systems_are_folded_by_accelerator(written: Written) -> None:
    """Each is a row of its accelerator's fold, those of most systems first, and has what the form
    leaves systems by.
    """
    page = written("systems/")

    body = systems_page(page).body
    listed, _, _ = body.partition('id="names"')
    folds = re.findall(r"<summary>(.*?) \((\d+)\)</summary>(.*?)</details>", listed, re.DOTALL)
    counts = [int(count) for _, count, _ in folds]

    assert len(folds) > 5 and counts == sorted(counts, reverse=True)
    assert sum(counts) == len(page.site.machines)
    for name, count, inside in folds:
        assert inside.count('<th scope="row"') == int(count), name
    assert listed.count('data-f-vendor="NVIDIA"') > 5
    assert '<select name="vendor">' in listed and '<option value="NVIDIA">' in listed
