"""What the kernel shows of its settings, from files that look like its own."""

from pathlib import Path

from kernels import knobs, system


def test_what_is_shown_is_read_and_the_rest_left_out(tmp_path: Path) -> None:
    """In the kernel's own words; a file that is empty says nothing."""
    for name, text in (("cpu_governor", "performance\n"), ("cpu_isolated", "\n")):
        path = tmp_path / knobs.FILES[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    assert {name: text for name, text in knobs.knobs(tmp_path).items() if name in knobs.FILES} == {"cpu_governor": "performance"}


def test_the_environment_has_them() -> None:
    """Beside what has a column of its own."""
    assert knobs.knobs().items() <= {setting.name: setting.value for setting in system.environment().extra}.items()
