"""The monitoring log on a run's page: drawn small, parted at gaps, each figure with its reference,
under its own terms.
"""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from kernels.analysis.repetitions import OWN
from kernels.records import (
    Environment,
    Metric,
    Origin,
    Recording,
    Sample,
    SourceKind,
)
from kernels.store import Archive
from kernels.store.join import attached
from site_src.cli.licences import without_unlicensed
from site_src.locales import load
from site_src.pages.components.writer import Writer
from site_src.pages.result import result_page
from site_src.pages.run import run_page
from tests.makers import make_run, make_source
from tests.site_src.recorded import make_site
from tests.site_src.tongues import STRINGS

SOURCE = make_source(
    "logs", kind=SourceKind.LOGS, title="Logs of others", licence="CC-BY-4.0", credit="Log Works"
)
ENERGY = Metric("monitored_energy_j", 7200.0, "J")
LOG = Recording(
    "toy-run", "logs", "file 'gpu.csv'", "CC-BY-4.0", "Log Works", offset_s=0.0,
    samples=tuple(Sample(float(at), 0, power_w=float(at), temperature_c=50.0) for at in (*range(20), *range(120, 140))),
    metrics=(ENERGY, Metric("monitored_readings", 80.0, "1"), Metric("monitored_mean_utilisation", 0.5, "1")),
)  # fmt: skip
RUN = make_run(
    started_at=datetime(2026, 1, 1, tzinfo=UTC), metrics=(Metric("train_time_s", 9.0, "s"),)
)


def page(archive: Archive) -> str:
    """The body of the page of an archive's only run."""
    [english] = load(STRINGS, ["en"])
    site = make_site(archive)
    run = archive.runs[0]
    if run.origin in OWN:
        return run_page(Writer(site, english, "runs/toy-run/"), run).body
    result = site.results[site.results.id_with(run.run_id)]
    return result_page(Writer(site, english, f"results/{result.id}/"), result).body


def watched(log: Recording = LOG, **fields: Any) -> Archive:
    """A run with a recording."""
    runs, _ = attached([replace(RUN, **fields)], [log])
    return Archive(runs=tuple(runs), sources=(SOURCE,), recordings=(log,))


def alone(devices: int = 1) -> Archive:
    """A log that is shown alone, of so many accelerators."""
    samples = [
        Sample(float(at), device, power_w=float(at % 7), temperature_c=50.0 + at % 3)
        for at in range(400)
        for device in range(devices)
    ]
    each = [
        Metric(f"monitored_{name}_of_{device}", 1.5, unit)
        for device in range(devices)
        for name, unit in (("energy_j", "J"), ("mean_power_w", "W"), ("peak_power_w", "W"))
    ]
    run = replace(
        RUN,
        origin=Origin.IMPORTED,
        source="logs",
        workload="telemetry",
        environment=Environment(),
        telemetry=tuple(samples),
        metrics=(ENERGY, *each),
    )
    return Archive(runs=(run,), sources=(SOURCE,))


def test_a_watched_run_shows_its_log_with_references() -> None:
    """Energy in joules and watt-hours, load as a percentage, and that not all readings are kept."""
    body = page(watched())

    assert re.search(
        r"Energy in the monitored time</?d[td]>.*?data-ref=:monitored_energy_j>7,200</data>\xa0J "
        r"\(2.00\xa0Wh\)",
        body,
    )
    assert "data-ref=:monitored_mean_utilisation>50" in body
    assert "thinned to evenly spaced readings" in body
    assert "Logs of others" in body
    assert "Credit: Log Works. Licence: CC-BY-4.0." in body
    assert "monitored" not in body.partition("<h2 id=monitoring>")[0].replace("monitored_", ""), (
        "the run's own figures stand above"
    )


def test_a_line_is_parted_where_readings_are_missing() -> None:
    """A hundred seconds without a reading make two lines of each sensor."""
    body = page(watched())

    assert body.count("<polyline") == 2 * 2


def test_a_page_with_a_log_stays_small() -> None:
    """One accelerator or eight, each with a panel and a row; of nine the row of each gives way."""
    one, eight, nine = (page(alone(count)) for count in (1, 8, 9))

    assert max(len(body.encode()) for body in (one, eight, nine)) < 7_200
    assert (one.count("<polyline"), eight.count("<polyline")) == (2, 16)
    assert (eight.count("_of_7"), nine.count("_of_7")) == (3, 0)


def test_where_little_room_is_left_the_first_sensor_stands_for_all() -> None:
    """A page that is full already has one drawing of the log."""
    metrics = tuple(Metric(f"final_top1_{number}", 0.5, "1") for number in range(60))

    body = page(watched(metrics=metrics))

    assert body.count("<polyline") == 2
    assert "monitored_energy_j" in body
    assert "monitored_mean_utilisation" not in body


def test_a_log_alone_says_that_no_workload_is_stated() -> None:
    """It links to no page of a workload, claims no training, and has no other figures."""
    body = page(alone())

    assert "Monitoring log without a stated workload on" in body
    assert "workloads/telemetry" not in body
    assert "<h2 id=metrics>" not in body
    assert not re.search("Training|Batch size|not stated", body)


def test_a_run_without_a_log_has_no_such_part() -> None:
    """Its page is as it was."""
    assert "monitoring" not in page(Archive(runs=(RUN,)))


def test_a_log_under_no_licence_leaves_its_run_as_it_was() -> None:
    """The run is shown, what the log saw of it is not."""
    source = replace(SOURCE, licence="LicenseRef-none-stated")
    found, left_out = without_unlicensed(
        replace(watched(replace(LOG, licence=source.licence)), sources=(source,))
    )

    assert (found.runs, found.recordings, found.sources, left_out) == ((RUN,), (), (), 0)
