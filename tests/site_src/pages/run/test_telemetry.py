"""The monitoring log on a run's page: drawn small, parted at gaps, each figure with its reference,
under its own terms.
"""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from kernels.analysis.repetitions import OWN
from kernels.records import Environment, Metric, Origin, Recording, Sample, SourceKind
from kernels.store import Archive
from kernels.store.join import attached
from site_src.cli.licences import without_unlicensed
from site_src.pages.components.writer import Writer
from site_src.pages.result import result_page
from site_src.pages.run import run_page
from site_src.pages.run.panels import pieces
from tests.makers import make_run, make_source
from tests.site_src.recorded import english, make_site

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
    site = make_site(archive)
    run = archive.runs[0]
    if run.origin in OWN:
        return run_page(Writer(site, english(), "runs/toy-run/"), run).body
    result = site.results[site.results.id_with(run.run_id)]
    return result_page(Writer(site, english(), f"results/{result.id}/"), result).body


def watched(log: Recording = LOG, **fields: Any) -> Archive:
    """A run with a recording."""
    runs, _ = attached([replace(RUN, **fields)], [log])
    return Archive(runs=tuple(runs), sources=(SOURCE,), recordings=(log,))


def lines(body: str) -> list[str]:
    """The path of each quantity's lines."""
    return re.findall(r'<svg[^>]*><path d="[^"]+"/?><path d="([^"]+)"', body)


def full(at: int, device: int) -> Sample:
    """A reading of all that a card has."""
    return Sample(
        float(at), device, power_w=200.0 + at % 7, energy_j=200.0 * at, temperature_c=60.0 + at % 5,
        memory_temperature_c=70.0, clock_hz=1.5e9, memory_clock_hz=7e9, utilisation=0.8 + at % 3 / 100,
        memory_utilisation=0.3, fan=0.4, memory_bytes=8 * 10**9, throttle_mask=0x40 * (at % 2),
    )  # fmt: skip


def alone(devices: int = 1, environment: Environment | None = None) -> Archive:
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
        environment=environment or Environment(),
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


def test_a_line_is_parted_after_two_intervals() -> None:
    """One reading that is missing leaves the line whole, two part it, each sensor alike."""
    times = [at for at in range(40) if at not in {10, 20, 21}]
    log = replace(LOG, samples=tuple(Sample(float(at), 0, 5.0, temperature_c=9.0) for at in times))

    assert [line.count("M") for line in lines(page(watched(log)))] == [2, 2]


def test_gaps_are_told_by_the_usual_interval() -> None:
    """A clock of whole seconds with several readings in each is no row of gaps; a reading between
    two gaps is a piece of its own.
    """
    coarse = [(float(at // 3), 1.0) for at in range(30)]
    alone = [(float(at), 1.0) for at in (0, 1, 2, 3, 9, 15, 16, 17)]

    assert len(list(pieces(coarse, 40, 0.0))) == 1
    assert list(map(len, pieces(alone, 40, 0.0))) == [4, 1, 3]
    assert len(list(pieces(alone, 40, 7.0))) == 1, "too narrow to be seen"


def test_all_that_a_log_holds_is_drawn() -> None:
    """Each quantity with its ends in units that are read; nothing is missing then."""
    text = page(watched(replace(LOG, samples=(full(0, 0), full(1, 0), full(2, 0)))))

    assert re.findall(r"<p>([^<]+) <span>([^<]+)</span></p><svg", text) == [
        ("Load", "80% – 82%"),
        ("Power", "200\xa0W – 202\xa0W"),
        ("Temperature", "60.0\xa0°C – 62.0\xa0°C"),
        ("Clock", "1.50\xa0GHz"),
        ("Memory clock", "7.00\xa0GHz"),
        ("Memory in use on the accelerator", "8.00\xa0GB"),
        ("Fan speed", "40%"),
        ("Memory load", "30%"),
        ("Memory temperature", "70.0\xa0°C"),
        ("Energy", "0\xa0J – 400\xa0J"),
        ("Throttling", "0% – 100%"),
    ]
    assert "Not in this log" not in text


def test_what_a_log_lacks_is_named() -> None:
    """Of what monitors usually read."""
    assert (
        "Not in this log: load, clock, memory clock, memory in use on the accelerator and fan speed."
        in page(watched())
    )


def test_each_card_has_a_column_with_its_name() -> None:
    """Two cards have name and time axis each, eight their numbers; one needs neither."""
    card = Environment(accelerator_name="Toy 100")
    one, two, eight = (page(alone(count, card)) for count in (1, 2, 8))

    assert "<b>" not in one.partition("<figure")[2].partition("</figure>")[0]
    assert "<b>0 · Toy 100</b><b>1 · Toy 100</b>" in two
    assert two.count("<span>0\xa0s <span>6\xa0min\xa039\xa0s</span></span>") == 2
    assert "<b>6</b><b>7</b>" in eight
    assert re.findall(r'<path d="(M[^"]+)"', two)[0] == "M0 0V44H273M287 0V44H560"


def test_a_page_with_a_log_stays_small() -> None:
    """One accelerator or eight, each with a panel and a row; of nine the row of each gives way."""
    one, eight, nine = (page(alone(count)) for count in (1, 8, 9))

    assert max(len(body.encode()) for body in (one, eight, nine)) < 7_200
    assert [line.count("M") for line in (*lines(one), *lines(eight))] == [1, 1, 8, 8]
    assert (eight.count("_of_7"), nine.count("_of_7")) == (3, 0)


def test_a_full_log_of_many_cards_stays_small() -> None:
    """All quantities of four cards, drawn with fewer points, on a page below ten kilobytes."""
    samples = tuple(full(at, device) for at in range(400) for device in range(4))
    text = page(Archive(runs=(replace(alone(4).runs[0], telemetry=samples),), sources=(SOURCE,)))

    assert len(lines(text)) == 11
    assert len(text.encode()) < 7_200


def test_where_little_room_is_left_the_first_sensor_stands_for_all() -> None:
    """A page that is full already draws one, and names what it leaves out."""
    metrics = tuple(Metric(f"final_top1_{number}", 0.5, "1") for number in range(60))

    body = page(watched(metrics=metrics))

    assert len(lines(body)) == 1
    assert "Recorded but not drawn here: temperature." in body
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
