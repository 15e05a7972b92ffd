"""Events of logs in the wild: marks in mid-line, broken bytes, too much of everything."""

import io

import pytest

from kernels.importers.mlperf import log
from kernels.importers.mlperf.log import Events, events_of, lines_of, parse, plain
from tests.kernels.importers.mlperf_logs import line


def read(text: str | bytes) -> Events:
    """The events of a text, read as a file is."""
    return parse(lines_of(io.BytesIO(text.encode() if isinstance(text, str) else text)))


def test_a_mark_may_stand_anywhere_in_a_line() -> None:
    """Behind a rank's number, a shell's echo, a progress bar, or another mark."""
    text = "0: " + line("run_start", 0)
    text += " 50%|##  | 1/2\r 99%|### | 2/2\r+ echo " + line("seed", 1, 5)
    text += line("global_batch_size", 2, 64).rstrip("\n") + line("run_stop", 3, status="success")

    events = read(text)

    assert [(event.key, event.line) for event in events.events] == [
        ("run_start", 1),
        ("seed", 2),
        ("global_batch_size", 3),
        ("run_stop", 3),
    ]


def test_bytes_that_are_no_text_do_not_matter() -> None:
    """Invalid UTF-8 before, behind and inside an event."""
    good = line("seed", 1, 5).encode()
    noisy = (
        b"\xff\xfe\x80" + good.replace(b"train.py", b"tr\xe9in.py").rstrip(b"\n") + b" \xc3\x28\n"
    )

    assert read(noisy).first("seed") == 5


def test_the_last_line_needs_no_end() -> None:
    """Nor does a file of carriage returns have a line at all."""
    text = line("run_start", 0) + line("run_stop", 3).rstrip("\n")

    assert [event.key for event in read(text).events] == ["run_start", "run_stop"]
    assert [event.key for event in read(text.replace("\n", "\r")).events] == [
        "run_start",
        "run_stop",
    ]


def test_a_long_line_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is cut in two, wherever a piece ends; lines are counted by their ends."""
    text = (
        "#" * 333
        + "\r"
        + line("run_start", 0).rstrip("\n")
        + "\r"
        + "=" * 500
        + line("seed", 1, 5)
        + line("run_stop", 2)
    )
    whole = read(text).events
    for size in (40, 64, 257, 400, 611):
        monkeypatch.setattr(log, "PIECE", size)

        assert read(text).events == whole
    assert [event.line for event in whole] == [1, 1, 2]


def test_zero_is_no_time() -> None:
    """Header events have it; neither have a time of the next century nor a text one."""
    texts = [
        '"time_ms": 0',
        '"time_ms": 1e300',
        '"time_ms": "soon"',
        '"other": 1',
        '"time_s": 1593354412.910',
    ]
    events = read(
        "".join(
            f':::MLLOG {{{text}, "key": "seed", "value": {place}}}\n'
            for place, text in enumerate(texts)
        )
    )

    assert [event.time_s for event in events.events] == [None, None, None, None, 1593354412.910]


def test_a_blank_may_stand_before_the_colon_of_v05() -> None:
    """Google's GPU log writes its learning rate so; a value that is no JSON stays a text."""
    text = (
        ':::MLPv0.5.0 resnet 1541660520.7 (file.py:523) opt_learning_rate : {"epoch": 0, '
        '"value": 0.1}\n'
    )
    text += (
        ":::MLPv0.5.0 resnet 1541660521 (file.py:523) eval_target: about 0.7\n:::MLPv0.5.0 "
        "resnet 1541660522 (a (b).py:1) run_stop\n"
    )

    assert [event.value for event in read(text).events] == [
        {"epoch": 0, "value": 0.1},
        "about 0.7",
        None,
    ]


def test_a_clock_of_whole_seconds_is_told() -> None:
    """Intel's logs of v0.5 have no fraction; `time_ms` has milliseconds."""
    mark = ":::MLPv0.5.0 resnet 1541660520{} (a.py:1) run_start\n"

    assert read(mark.format("")).resolution_s == 1.0
    assert read(mark.format(".78")).resolution_s == 0.01
    assert read(line("run_start", 0)).resolution_s == 0.001


def test_damaged_lines_are_told_by_number() -> None:
    """A mark with nothing readable behind it is no event and no error."""
    events = read(
        line("run_start", 0)
        + ':::MLLOG {"time_ms": 17\n:::MLLOG\n:::MLLOG [1]\n'
        + line("run_stop", 1)
    )

    assert events.damaged == (2, 3, 4)
    assert [event.key for event in events.events] == ["run_start", "run_stop"]


def test_256_processes_and_a_rate_a_step_are_kept_once() -> None:
    """Of equal marks the first, earliest, latest stay; of a rate the first of each epoch."""
    text = "".join(line("epoch_stop", 10 + (rank * 37) % 256, epoch_num=1) for rank in range(256))
    text += "".join(
        line("opt_learning_rate", 300 + step, 0.1 / (step + 1), step_num=step)
        for step in range(1000)
    )
    text += "".join(
        line("opt_base_learning_rate", 300, {"epoch": step // 500, "value": step})
        for step in range(1000)
    )

    events = read(text)

    assert sorted((event.time_s or 0) - 1.75e9 for event in events.all("epoch_stop")) == [10, 265]
    assert [event.value for event in events.all("opt_learning_rate")] == [0.1]
    assert [event.value for event in events.all("opt_base_learning_rate")] == [
        {"epoch": 0, "value": 0},
        {"epoch": 1, "value": 500},
    ]


def test_marks_without_a_label_are_all_kept() -> None:
    """Thirteen evaluations of NCF have one bare mark each."""
    assert (
        len(
            list(
                read("".join(line("eval_start", second) for second in range(13))).all("eval_start")
            )
        )
        == 13
    )


def test_what_is_kept_of_one_log_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond it events are counted, and the end of the run is not lost."""
    monkeypatch.setattr(log, "BUDGET", 2000)
    events = read(
        line("run_start", 0)
        + "".join(line("eval_accuracy", n, n / 100) for n in range(90))
        + line("run_stop", 99)
    )

    assert len(events.events) + events.passed == 92
    assert events.passed > 70
    assert events.events[-1].key == "run_stop"


def test_values_are_kept_as_far_as_they_can_mean_something() -> None:
    """Long texts are cut, and what is nested deeper than any accuracy is left out."""
    deep = "[" * 300 + "]" * 300
    events = read(
        line("seed", 0, "x" * 5000)
        + f':::MLLOG {{"time_ms": 5, "key": "eval_accuracy", "value": {deep}}}\n'
    )

    assert [event.value for event in events.events] == ["x" * 1000, [[[[None]]]]]


def test_all_events_can_be_read_one_by_one() -> None:
    """Whatever they are about, as those of a power log."""
    assert [
        event.key
        for event in events_of([line("power_reading", 1, 5).encode(), b"noise\n", b":::MLLOG {\n"])
    ] == ["power_reading"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("cpu_model", "cpu_model"),
        ("ask a.b@c.example.org, please", "ask [address], please"),
        ("half \ud800 a character\0 ", "half ? a character"),
    ],
)
def test_texts_are_recorded_without_addresses(text: str, wanted: str) -> None:
    """And without what no file can hold."""
    assert plain(text) == wanted


def test_labels_as_python_writes_them() -> None:
    """MiniGo's of v0.6 have single quotes in JSON; a value with an apostrophe stays."""
    text = b""":::MLL 1.5 run_start: {"value": null, "metadata": {'lineno': 615, 'file': 'a.py', 'epoch_num': 4}}
:::MLL 2.5 submission_org: {"value": "Acme's", "metadata": {}}
"""
    found = parse(text.splitlines(keepends=True))

    assert [(event.value, event.metadata, event.line) for event in found.events] == [
        (None, {"epoch_num": 4}, 1),
        ("Acme's", {}, 2),
    ]
    assert found.damaged == ()
