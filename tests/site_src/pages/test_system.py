"""What the page of a system says of its accelerators, and the table of their names."""

from markupsafe import Markup

from site_src.pages import conditions, system
from tests.site_src.pages.conftest import Written


def plain(text: Markup) -> str:
    """As one reads it."""
    return " ".join(Markup(str(text).replace("<", " <")).striptags().replace("\xa0", " ").split())  # noqa: S704 - read, not written


def test_other_names_of_an_accelerator_are_shown(written: Written) -> None:
    """On the page of a system that has it, and in the table of all; both from the catalogue."""
    page = written("systems/")
    about = plain(system.about(page, page.site.machines["nvidia-gb200-8x"]))
    names = plain(system.names(page))

    assert "lso written as GB200; NVIDIA GB200; NVIDIA Blackwell GPU (GB200)" in about
    assert "Google TPU v2 TPUv2; Cloud TPU v2; tpuv2-8" in names
    assert "AMD Instinct MI300X MI300X; AMD Instinct MI300X 192GB HBM3" in names


def test_a_system_of_several_machines_says_so(written: Written) -> None:
    """Sixteen hosts hold the chips of a TPU v4-128; what is said of the host is said of one. A single machine needs no number."""
    page = written("systems/")
    several, one = (plain(system.about(page, page.site.machines[id_])) for id_ in ("cloud-tpu-v4-128", "nvidia-dgx-1"))

    assert "Machines 16 ; processor and main memory are those of one machine" in several
    assert "Machines" not in one


def test_one_gpu_of_a_board_has_its_own_memory(written: Written) -> None:
    """12 GB of the K80 of a p2.xlarge: half of what another source, which is named, states of the board; its runs alike."""
    page = written("systems/")
    machine = page.site.machines["aws-p2.xlarge"]
    text = plain(system.about(page, machine))
    whole = plain(Markup(system.system_page(page.site, page, machine).body))  # noqa: S704 - our own page
    [run, *_] = page.site.runs_of(system="aws-p2.xlarge")

    assert "12 GB ( reconstructed )" in text and "Machine Learning Hardware" in text
    assert "24 GB" not in whole
    assert "A board of this kind carries two GPUs" in whole
    assert conditions.conditions(page, run)["memory"][0] == "12GB"
