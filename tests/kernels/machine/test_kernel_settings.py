"""What the kernel shows of its settings, from files that look like its own."""

from pathlib import Path

from kernels.machine import kernel_settings, system


def test_what_is_shown_is_read_and_the_rest_left_out(tmp_path: Path) -> None:
    """In the kernel's own words; a file that is empty says nothing."""
    for name, text in (("cpu_governor", "performance\n"), ("cpu_isolated", "\n")):
        path = tmp_path / kernel_settings.FILES[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    found = kernel_settings.settings(tmp_path)
    assert {name: text for name, text in found.items() if name in kernel_settings.FILES} == {
        "cpu_governor": "performance"
    }


def test_the_environment_has_them() -> None:
    """Beside what has a column of its own."""
    assert (
        kernel_settings.settings().items()
        <= {setting.name: setting.value for setting in system.environment().extra}.items()
    )
