"""Monitoring logs: every dialect and every trap, energy by hand, and nobody's serial number."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.errors import SourceError
from kernels.importers import telemetry
from kernels.importers.base import Imported
from kernels.importers.telemetry.energy import Log
from kernels.importers.telemetry.log import Options, Reading, Seen, lines, readings
from kernels.records import NO_LICENCE, Recording, Run, Sample
from kernels.store.rows import to_arrow, to_records
from kernels.store.schema import TABLES

SMI = """timestamp, index, uuid, name, power.draw [W], utilization.gpu [%], temperature.gpu, clocks.sm [MHz], memory.used [MiB]
2025/06/13 00:27:52.000, 0, GPU-11111111-aaaa, Tesla T4, 100.00 W, 50 %, 60, 1000 MHz, 2 MiB
2025/06/13 00:27:52.000, 1, GPU-22222222-bbbb, Tesla T4, 10.00 W, 0 %, 30, 300 MHz, 1 MiB
2025/06/13 00:27:53.000, 0, GPU-11111111-aaaa, Tesla T4, 200.00 W, 100 %, 61, 1000 MHz, 3 MiB
2025/06/13 00:27:53.000, 1, GPU-22222222-bbbb, Tesla T4, [N/A], [Not Supported], [Unknown Error], 300 MHz, 1 MiB
2025/06/13 00:27:55.000, 0, GPU-11111111-aaaa, Tesla T4, 100.00 W, 100 %, 62, 1000 MHz, 3 MiB
2025/06/13 00:27:55.000, 1, GPU-22222222-bbbb, Tesla T4, 30.00 W, 0 %, 30, 300 MHz, 1 MiB
"""

GPU_Z = (
    "        Date        , GPU Clock [MHz] , UVD Clock [MHz] , UVD Clock [MHz] , GPU Temperature "
    "[\xb0C] , Fan Speed (%) [%] , Fan Speed (RPM) [RPM] , Memory Used (Dedicated) [MB] , GPU Chip "
    "Power Draw [W] , Board Power Draw [W] ,\r\n"
)
ROW = (
    "2020-03-16 17:13:{:02d} ,     789.0   ,   105.0   ,   102.0   ,    50.0   ,   40   ,  900  "
    " "
    ",    534   ,  8.0   ,    {}   ,\r\n"
)


def imported(tmp_path: Path, text: str | bytes, name: str = "log.csv", **options: str) -> Imported:
    """What a log of that content gives."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    [part] = telemetry.parts(path, options)
    return telemetry.read(part)


def a_run(tmp_path: Path, text: str | bytes, **options: str) -> Run:
    """The run of a log that is shown alone."""
    [run] = imported(tmp_path, text, **options).runs
    return run


def value(run: Run | Recording, name: str) -> float | None:
    """A figure, None where there is none."""
    return next((metric.value for metric in run.metrics if metric.key == f"monitored_{name}"), None)


def test_energy_is_taken_over_real_time_steps(tmp_path: Path) -> None:
    """100 to 200 W in 1 s and back in 2 s are 450 J; 10 to 30 W over a missing reading 60 J."""
    run = a_run(tmp_path, SMI)

    assert value(run, "energy_j_of_0") == 450.0
    assert value(run, "energy_j_of_1") == 60.0
    assert value(run, "energy_j") == 510.0
    assert (value(run, "mean_power_w_of_0"), value(run, "mean_power_w")) == (150.0, 170.0)
    assert value(run, "peak_power_w") == 200.0
    assert value(run, "time_s") == 3.0
    assert value(run, "covered_s") == 3.0
    assert value(run, "readings") == 6.0
    assert value(run, "mean_utilisation_of_0") == pytest.approx((0.75 + 2.0) / 3)


def test_readings_are_in_si_units(tmp_path: Path) -> None:
    """Watts, hertz, bytes, fractions, seconds from the first row; unsupported is null, not 0."""
    run = a_run(tmp_path, SMI)

    assert run.telemetry[0] == Sample(
        0.0, 0, power_w=100.0, temperature_c=60.0, clock_hz=1e9, utilisation=0.5, memory_bytes=2 * 2**20
    )  # fmt: skip
    assert run.telemetry[3] == Sample(1.0, 1, clock_hz=3e8, memory_bytes=2**20)
    assert run.accelerator == "t4"
    assert run.accelerators == 2
    assert run.started_at is None
    assert run.licence == NO_LICENCE


def test_no_serial_number_reaches_a_record(tmp_path: Path) -> None:
    """Cards are told apart by uuid, bus and serial, and known by their number."""
    text = (
        SMI.replace("index, uuid", "hostname, uuid")
        .replace(", 0, GPU-1", ", box7.example, GPU-1")
        .replace(", 1, GPU-2", ", box7.example, GPU-2")
    )

    found = imported(tmp_path, text)

    assert {sample.device for sample in found.runs[0].telemetry} == {0, 1}
    assert not any(word in repr(found) for word in ("1111", "bbbb", "box7"))


def test_the_same_columns_under_other_names(tmp_path: Path) -> None:
    """No units, units behind names, semicolons, decimal commas, quotes, UTF-16: one log."""
    plain = (
        "timestamp,index,power.draw [W],memory.used [MiB]\n2025/06/13 00:27:52.5, 0, 90.5, "
        "2\n2025/06/13 00:27:53.5, 0, 91.5, 2\n"
    )
    suffix = (
        "timestamp,gpu_id,power_w,memory_used_mib\n2025-06-13 00:27:52.5,0,90.5,2\n2025-06-13 "
        "00:27:53.5,0,91.5,2\n"
    )
    commas = (
        'Timestamp;Index;"Power Draw [W]";Memory Used [MB]\n2025/06/13 '
        "00:27:52,5;0;90,5;2\n2025/06/13 00:27:53,5;0;91,5;2\n"
    )

    runs = [
        a_run(tmp_path, each)
        for each in (plain, suffix, commas, plain.encode("utf-16"), "\ufeff" + plain)
    ]

    assert {run.telemetry for run in runs} == {
        (
            Sample(0.0, 0, power_w=90.5, memory_bytes=2**21),
            Sample(1.0, 0, power_w=91.5, memory_bytes=2**21),
        )
    }


def test_a_number_that_all_rows_share_numbers_nothing(tmp_path: Path) -> None:
    """In `gpu,index` the index may be 0 throughout: both columns together tell cards apart."""
    rows = [
        f"2025-09-08T17:26:{second}+08:00,{gpu}, 0, {70 + gpu}"
        for second in (50, 51)
        for gpu in range(8)
    ]
    run = a_run(tmp_path, "timestamp,gpu,index,power.draw\n" + "\n".join(rows[:-3]) + "\n")

    assert {sample.device: sample.power_w for sample in run.telemetry} == {
        gpu: 70.0 + gpu for gpu in range(8)
    }
    assert run.started_at == datetime(2025, 9, 8, 9, 26, 50, tzinfo=UTC)


def test_a_last_round_may_be_cut_off(tmp_path: Path) -> None:
    """Its cards have one reading less, and keep the energy of those that they have."""
    rows = [f"2025-09-08T17:26:{second}Z,{gpu},70" for second in (50, 51, 52) for gpu in range(8)]
    found = imported(tmp_path, "timestamp,gpu,power.draw\n" + "\n".join(rows[:-6]) + "\n")

    assert [value(found.runs[0], f"energy_j_of_{gpu}") for gpu in (1, 2)] == [140.0, 70.0]


@pytest.mark.parametrize(
    ("end", "kept"),
    [
        ("2025/06/13 00:27:56.000, 22", 1),
        ("2025/06/13 00:27:56.000, 228 W", 2),
        ("2025/06/13 00:2", 1),
    ],
)
def test_a_last_line_without_its_end_counts_where_it_is_whole(
    end: str, kept: int, tmp_path: Path
) -> None:
    """`22` may have been `228 W`; a unit shows that nothing is missing."""
    found = imported(
        tmp_path, f"timestamp, power.draw [W]\n2025/06/13 00:27:55.000, 100.00 W\n{end}"
    )

    assert value(found.runs[0], "readings") == kept
    assert any("line 3: cut off" in warning for warning in found.warnings) == (kept == 1)


def test_a_gpu_z_log(tmp_path: Path) -> None:
    """Padding, code page 1252, a last comma, columns of one name, `-`, headers again, NULs."""
    text = (
        GPU_Z
        + ROW.format(5, "100.0")
        + ROW.format(6, "-")
        + "2020-03-1"
        + "\0" * 40_020
        + GPU_Z
        + ROW.format(7, "120.0")
        + ROW.format(9, "120.0")
    )
    found = imported(tmp_path, text.encode("cp1252"), name="GPU-Z Sensor Log.txt")
    [run] = found.runs

    assert [sample.power_w for sample in run.telemetry] == [100.0, None, 120.0, 120.0], (
        "the board's power, not the chip's"
    )
    assert run.telemetry[0].clock_hz == 789e6
    assert run.telemetry[0].fan == 0.4
    assert run.telemetry[0].memory_bytes == 534 * 2**20
    assert value(run, "energy_j") == 220.0 + 240.0
    said = " ".join(found.warnings)
    assert "UVD Clock [MHz], Fan Speed (RPM) [RPM]" in said
    assert "line 4: cut off" in said
    assert "line 4: the header again" in said


def test_zero_watts_throughout_is_no_sensor(tmp_path: Path) -> None:
    """An old card in GPU-Z reads 0 W: no power is recorded and no energy of 0 J."""
    found = imported(tmp_path, GPU_Z + ROW.format(5, "0.0") + ROW.format(6, "0.0"))

    assert {sample.power_w for sample in found.runs[0].telemetry} == {None}
    assert value(found.runs[0], "energy_j") is None
    assert any("0 W throughout" in warning for warning in found.warnings)


def test_energy_is_not_taken_across_a_gap(tmp_path: Path) -> None:
    """Ten seconds among seconds: 900 J are not counted there, and the covered share is said."""
    seconds = [0, 1, 2, 3, 13, 14]
    found = imported(
        tmp_path,
        "timestamp, power.draw [W]\n"
        + "".join(f"2025/06/13 00:00:{at:02d}.000, 90.00 W\n" for at in seconds),
    )
    [run] = found.runs

    assert value(run, "energy_j") == 360.0
    assert value(run, "covered_s") == 4.0
    assert value(run, "time_s") == 14.0
    assert value(run, "largest_gap_s") == 10.0
    assert any(
        "1 gaps longer than 5 intervals" in warning and "28.6%" in warning
        for warning in found.warnings
    )
    assert [(doubt.code, doubt.value) for doubt in run.doubts] == [("monitoring_gaps", 1 - 4 / 14)]


def test_a_clock_that_goes_back_parts_the_log(tmp_path: Path) -> None:
    """The end of summer time: no negative step, no energy across, times that never fall."""
    clocks = ["02:59:58", "02:59:59", "02:00:00", "02:00:01"]
    text = "timestamp, power.draw [W]\n" + "".join(
        f"2024/10/27 {at}.000, 50.00 W\n" for at in clocks
    )
    found = imported(tmp_path, text)
    zoned = imported(tmp_path, text, zone="Europe/Berlin")

    assert [sample.time_s for sample in found.runs[0].telemetry] == [0.0, 1.0, 2.0, 3.0]
    assert value(found.runs[0], "energy_j") == 100.0
    assert any("goes back 1 times" in warning for warning in found.warnings)
    assert value(zoned.runs[0], "energy_j") == 150.0, (
        "the zone says that the second 02:00:00 is one second later"
    )
    assert zoned.runs[0].started_at == datetime(2024, 10, 27, 0, 59, 58, tzinfo=UTC)
    assert not any("goes back" in warning for warning in zoned.warnings)


def test_an_hour_ahead_is_a_gap_without_a_zone(tmp_path: Path) -> None:
    """Summer time's start is an hour's gap without the zone, and a second with it."""
    clocks = ["01:59:58", "01:59:59", "03:00:00", "03:00:01"]
    text = "timestamp, power.draw [W]\n" + "".join(
        f"2024/03/31 {at}.000, 50.00 W\n" for at in clocks
    )

    assert value(a_run(tmp_path, text), "energy_j") == 100.0
    assert value(a_run(tmp_path, text, zone="Europe/Berlin"), "energy_j") == 150.0


def test_rows_of_several_cards_that_nothing_numbers_are_refused(tmp_path: Path) -> None:
    """As one card their energy would be wrong; `--devices` makes them two."""
    text = "timestamp, power.draw [W]\n" + "".join(
        f"2025/06/13 00:00:{at:02d}.000, 100.00 W\n2025/06/13 00:00:{at:02d}.002, 20.00 W\n"
        for at in range(4)
    )
    with pytest.raises(SourceError, match="give --devices N"):
        imported(tmp_path, text)
    run = a_run(tmp_path, text, devices="2")
    assert [value(run, f"energy_j_of_{card}") for card in (0, 1)] == [300.0, 60.0]


def test_figures_without_header_and_times(tmp_path: Path) -> None:
    """`56, 67 %, 10248 MiB` is known by sight; its times and number of cards must be given."""
    text = "45, 0 %, 0 MiB\n46, 10 %, 1 MiB\n47, 20 %, 2 MiB\n"
    with pytest.raises(
        SourceError, match=r"line 1: a log without times: give --interval SECONDS .* --devices N"
    ):
        imported(tmp_path, text)

    alone = a_run(tmp_path, text, interval="2")
    turns = a_run(tmp_path, text, interval="2", devices="2")

    assert [(sample.time_s, sample.temperature_c) for sample in alone.telemetry] == [
        (0.0, 45.0),
        (2.0, 46.0),
        (4.0, 47.0),
    ]
    assert [(sample.time_s, sample.device) for sample in turns.telemetry] == [
        (0.0, 0),
        (0.0, 1),
        (2.0, 0),
    ]


def test_a_log_without_header_takes_the_names_that_are_given(tmp_path: Path) -> None:
    """`--format=csv,noheader` leaves open what `%` is a share of."""
    text = "2025/06/13 00:27:52.000, 50 %, 100 W\n2025/06/13 00:27:53.000, 50 %, 100 W\n"
    with pytest.raises(SourceError, match="say what they are, as in --columns"):
        imported(tmp_path, text)

    run = a_run(tmp_path, text, columns="timestamp,utilization.memory,power.draw")

    assert (run.telemetry[0].memory_utilisation, value(run, "energy_j")) == (0.5, 100.0)


def test_a_log_of_another_monitor_takes_the_names_that_are_given(tmp_path: Path) -> None:
    """A header that nobody knows is refused with what to do, and that does it."""
    text = "日時,GPU番号,GPU使用率\n2025/06/13 00:00:00,0,75\n2025/06/13 00:00:05,0,90\n"

    with pytest.raises(SourceError, match=r"such as ELSA's, name each column in order: --columns"):
        imported(tmp_path, text)

    run = a_run(tmp_path, text, columns="timestamp,index,utilization.gpu")
    assert [sample.utilisation for sample in run.telemetry] == [0.75, 0.9]


def test_cards_of_several_kinds_keep_their_names(tmp_path: Path) -> None:
    """By number; of one kind the environment's name says it."""
    row = "2025/06/13 00:00:0{0},{1},{2},9 W\n"
    both = "timestamp,index,name,power.draw [W]\n" + "".join(
        row.format(second, number, name)
        for second in (0, 5)
        for number, name in enumerate(("Tesla T4", "Tesla V100"))
    )

    mixed, alike = a_run(tmp_path, both), a_run(tmp_path, both.replace("T4", "V100"))

    assert mixed.environment is not None and alike.environment is not None
    assert [(each.name, each.value) for each in mixed.environment.extra] == [
        ("accelerator_name_of_0", "Tesla T4"),
        ("accelerator_name_of_1", "Tesla V100"),
    ]
    assert alike.environment.extra == ()


def test_readings_that_no_card_can_have_are_left_out(tmp_path: Path) -> None:
    """4294967295 W and 300 % are a lost card's; they make no peak."""
    text = "timestamp, power.draw [W], utilization.gpu [%]\n" + "".join(
        f"2025/06/13 00:27:5{at}.000, {power} W, {load} %\n"
        for at, (power, load) in enumerate([(50, 300), (4294967295, 90), (50, 90)])
    )
    found = imported(tmp_path, text)

    assert value(found.runs[0], "peak_power_w") == 50.0
    assert any("power_w 1, utilisation 1" in warning for warning in found.warnings)


def test_a_long_log_is_thinned_and_its_figures_are_of_all() -> None:
    """Of 1000 readings of two cards, room for 100, every 16th is kept; energy is of all."""
    log = Log(
        (
            Reading(row % 2, row // 2 * 1_000_000, {"power_w": 500.0 if row == 999 else 100.0})
            for row in range(1000)
        ),
        most=100,
    )

    assert (log.stride, len(log.samples())) == (16, 64)
    assert {sample.time_s % 16 for sample in log.samples()} == {0.0}
    assert (
        next(metric.value for metric in log.metrics() if metric.name == "monitored_energy_j")
        == 2 * 49_900 + 200
    )


def test_a_log_of_a_run_is_a_recording(tmp_path: Path) -> None:
    """It names the run and where the log lies; without zone or offset nothing says that."""
    with pytest.raises(SourceError, match="give --zone, or --offset SECONDS"):
        imported(tmp_path, SMI, run="toy-run")

    by_offset = imported(
        tmp_path, SMI, run="toy-run", offset="-2.5", licence="MIT", credit="Toy Works"
    )
    by_clock = imported(tmp_path, SMI, run="toy-run", zone="UTC")

    [recording] = by_offset.recordings
    assert recording.run_id == "toy-run"
    assert recording.offset_s == -2.5
    assert recording.licence == "MIT"
    assert recording.source == "telemetry-toy-works-mit"
    assert (value(recording, "energy_j"), by_offset.runs) == (510.0, ())
    assert by_clock.recordings[0].started_at == datetime(2025, 6, 13, 0, 27, 52, tzinfo=UTC)
    assert to_records(TABLES[Recording], to_arrow(TABLES[Recording], [recording])) == [recording]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"zone": "Atlantis/Main"}, "--zone: found 'Atlantis/Main'"),
        ({"interval": "0"}, "--interval: found '0', wanted seconds above 0"),
        ({"devices": "1.5"}, "--devices: found '1.5', wanted a whole number"),
        ({"offset": "1"}, "give --run too"),
        ({"run": "A Run"}, "an id is lower-case"),
        ({"hardware": "Tesla T5"}, "not in the catalogue; did you mean 'tesla t4'"),
    ],
)
def test_an_option_that_cannot_be_is_refused(
    options: dict[str, str], words: str, tmp_path: Path
) -> None:
    """Before anything is read, with what was found and what was wanted."""
    with pytest.raises(SourceError, match=words):
        imported(tmp_path, SMI, **options)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hours,top1\n1,2\n",
        "\0" * 100,
        "timestamp, name\n2025/06/13 00:00:00, x\n",
        "timestamp, power.draw\n13.6.2025 0:00, 5\n",
    ],
)
def test_what_is_no_log_is_refused(text: str, tmp_path: Path) -> None:
    """Nothing, another table, and times in an order that nobody can know."""
    with pytest.raises(SourceError, match=r"log\.csv: no "):
        imported(tmp_path, text)


def test_logs_of_a_folder_are_told_by_their_content(tmp_path: Path) -> None:
    """Other tables are passed over; a run takes one log."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").write_text(SMI)
    (tmp_path / "b.csv").write_text(GPU_Z)
    (tmp_path / "curve.csv").write_text("epoch,hours,top1\n1,2,3\n")

    assert [part.name for part in telemetry.parts(tmp_path, {})] == ["a/x.txt", "b.csv"]
    with pytest.raises(SourceError, match="2 logs, and --run takes one"):
        list(telemetry.parts(tmp_path, {"run": "toy-run"}))


@given(st.lists(st.integers(1, 900_000), min_size=1, max_size=60), st.floats(1, 900))
def test_constant_power_is_power_times_time_whatever_the_sampling(
    steps: Sequence[int], power: float
) -> None:
    """Steps below a second are no gaps: all time counts, however unevenly sampled."""
    times = list(accumulate(steps, initial=0))
    log = Log(Reading(0, at, {"power_w": power}) for at in times)
    figures = {metric.name: metric.value for metric in log.metrics()}

    assert figures["monitored_energy_j"] == pytest.approx(power * times[-1] / 1e6, rel=1e-9)
    assert figures["monitored_covered_s"] == times[-1] / 1e6


def test_lines_end_as_any_system_ends_them() -> None:
    """CR, LF, both, or what a crash leaves: a NUL block ends a line and counts as none."""
    assert [(line.number, line.text, line.whole) for line in lines(b"a\r\nb\rc\0\0d\n\ne")] == [
        (1, "a", True),
        (2, "b", True),
        (3, "c", False),
        (3, "d", True),
        (5, "e", False),
    ]


def test_every_line_cut_gives_no_wrong_figure(tmp_path: Path) -> None:
    """A log truncated at any byte has no reading that the whole one has not."""
    known = set(a_run(tmp_path, SMI).telemetry)
    for place in range(SMI.index("\n") + 90, len(SMI)):
        log = Log(readings(SMI[:place].encode(), "log", Options(), Seen()))
        assert set(log.samples()) <= known


def test_real_logs(external: Path) -> None:
    """50 ms of power, a V100S without, GPU-Z of an AMD card and of one without a sensor."""
    runs = {}
    for part in telemetry.parts(external / "gpu-telemetry", {}):
        [run] = telemetry.read(part).runs
        runs[part.name.split("/")[1]] = run

    power = runs["power-only-50ms"]
    assert value(power, "energy_j") == pytest.approx(22.0 * 3.624, rel=0.02)
    assert (value(power, "readings"), value(power, "time_s")) == (73.0, 3.624)
    assert (value(runs["v100s"], "readings"), value(runs["v100s"], "energy_j")) == (107.0, None)
    assert (
        runs["v100s"].environment
        and runs["v100s"].environment.accelerator_name == "Tesla V100S-PCIE-32GB"
    )
    assert value(runs["amd"], "readings") == 249.0
    assert value(runs["amd"], "peak_power_w") == 49.0
    assert value(runs["short-2017"], "energy_j") is None


def test_real_logs_without_header(external: Path) -> None:
    """Each of Lambda's monitor files asks for an interval and reads with one."""
    parts = list(telemetry.parts(external / "throughput-lambda", {"interval": "1"}))

    assert len(parts) == 6
    assert all(telemetry.read(part).runs[0].telemetry for part in parts)
