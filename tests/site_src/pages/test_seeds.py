"""The pages on seeds and on software: findings from the data, and words alone where there are no
submissions.
"""

from dataclasses import replace
from datetime import date

import pytest

from kernels.records import Epoch
from kernels.store import Archive
from site_src.model import BuildOptions
from site_src.pages.components.writer import Writer
from site_src.pages.seeds import seeds_page
from site_src.pages.software import software_page
from site_src.pages.workload import stable
from tests.site_src.reading import said
from tests.site_src.recorded import english, make_site
from tests.site_src.submitted import NEW, OLD, archive, submission


def writer(records: Archive, path: str) -> Writer:
    """Of an English page over these runs, without charts."""
    site = make_site(records, options=BuildOptions(date(2026, 1, 1)))
    return Writer(site, english(), path)


def test_failed_runs_are_counted() -> None:
    """Nine of ten runs reached their target, and the page says which submission lost one."""
    at = writer(archive(*OLD, *NEW), "seeds/")

    words = said(seeds_page(at).body)

    assert (
        "9 of 10 runs in 2 submissions reached their target. 1 of 5 runs of ResNet-50 (DGX-1 · "
        "MXNet · v0.5 (2018)) did not." in words
    )
    assert "Unstable: ResNet-50." in words
    assert "2 submissions log a different seed for every run" in words


def test_of_many_submissions_with_failed_runs_the_worst_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The others are counted."""
    monkeypatch.setattr("site_src.pages.seeds.MOST_NAMED", 1)
    monkeypatch.setattr("site_src.pages.seeds.NAMED", 1)
    both = submission("v0.6", 2019, (80.0, 80.0, 80.0, None, None), (60.0,) * 3 + (None,) * 2)
    at = writer(archive(*OLD, *both), "seeds/")

    words = said(seeds_page(at).body)

    assert "2 of 5 runs of ResNet-50" in words and "1 of 5 runs" not in words
    assert "Other submissions with such runs: 1." in words


def test_pages_say_which_submissions_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of very many some, which are not listed one by one; else all, and no word of it."""
    larger = submission("v0.6", 2019, (40.0,) * 5, (60.0,) * 5, accelerators=16)
    larger = [
        replace(
            run,
            run_id=f"large-{run.run_id}",
            locator=run.locator.replace("result_", "large/result_"),
        )
        for run in larger
    ]
    newest = submission("v0.7", 2020, (70.0,) * 5, (60.0,) * 5)
    records = archive(*OLD, *NEW, *larger, *newest)
    monkeypatch.setattr("site_src.tables.submissions.MOST", 2)

    seeds = said(seeds_page(writer(records, "seeds/")).body)
    software = said(software_page(writer(records, "software/")).body)

    assert "This page covers 1 of 4 submissions:" in seeds and "All 1 submission" not in seeds
    assert "This page covers 3 of 4 submissions:" in software
    monkeypatch.undo()
    assert "This page covers" not in said(seeds_page(writer(records, "seeds/")).body)


def test_times_to_other_targets_are_not_compared() -> None:
    """An epoch took longer with the later stack; its shorter way to a higher target is no
    finding.
    """
    at = writer(archive(*OLD, *NEW), "software/")

    words = said(software_page(at).body)

    assert (
        "an epoch took 113.0 s with MXNet" in words
        and "and 118.7 s with MXNet 1.5 (v0.6, November 2019), a change of +5.0%." in words
    )
    assert "Start-up and everything else outside the epochs took 60.0 s, then 60.0 s." in words
    assert "The targets differ: top-1 accuracy ≥ 74.9%, then top-1 accuracy ≥ 75.9%" in words
    assert "The times to the target are therefore not compared." in words


def test_an_epoch_without_evaluation_takes_no_longer() -> None:
    """Than one with it, 113.0 s and 118.7 s here: a longer one was another one, such as the
    first.
    """
    told = {}
    for seconds in (100.0, 200.0):
        passes = tuple(Epoch(index, start_s=2000 + seconds * index) for index in (0, 1))
        runs = [replace(run, epochs=passes) for run in (*OLD, *NEW)]
        told[seconds] = said(software_page(writer(archive(*runs), "software/")).body)

    assert "it took 100.0 s, then 100.0 s" in told[100.0]
    assert told[100.0].count("100.0 without evaluation") == 2
    assert "ithout evaluation (" not in told[200.0] and "200.0" not in told[200.0]


def test_as_many_epochs_are_named_once() -> None:
    """Where both submissions took as many."""
    later = submission("v0.6", 2019, (80.0,) * 5, (60.0,) * 5)
    alike = archive(*submission("v0.5", 2018, (90.0,) * 5, (60.0,) * 5), *later)

    words = said(software_page(writer(alike, "software/")).body)

    assert "min; epochs: 60 both times." in words


def test_pages_without_submissions_are_words() -> None:
    """A site of one's own runs has both pages, with their explanations and no table."""
    for path, page in (("seeds/", seeds_page), ("software/", software_page)):
        at = writer(Archive(), path)
        assert "<table" not in page(at).body


def test_a_workload_says_who_reached_its_target() -> None:
    """The epochs are those of the runs that reached it, the others are counted beside; of
    several sets the label names one.
    """
    later = submission("v0.6", 2019, (80.0,) * 5, (60.0,) * 5)
    alike = archive(*submission("v0.5", 2018, (90.0,) * 5, (60.0,) * 5), *later)
    for records, words in (
        (
            archive(*OLD),
            "Identically configured runs that reached 74.9%: 4, after 60–64 epochs. Runs that did "
            "not reach it: 1.",
        ),
        (
            alike,
            "Of 2 sets of identically configured runs, the one with the widest spread decides the "
            "label: DGX-1 · MXNet · v0.5 (2018).",
        ),
    ):
        at = writer(records, "workloads/resnet50-imagenet/")
        assert words in said(str(stable(at, at.site.catalog.workloads["resnet50-imagenet"])))
