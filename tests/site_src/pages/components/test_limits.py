"""Limits of systems, and what was done beyond them."""

import dataclasses

from kernels.records import Metric
from site_src.pages.accelerator import about, accelerator_page
from site_src.pages.components import limits
from tests.site_src.pages.conftest import Written
from tests.site_src.reading import plain


def test_limits_of_a_kind_of_accelerator_have_their_date(written: Written) -> None:
    """What a TPU cannot do stands on systems with the TPU that the source ran, as of its day, and
    on no other, nor on later TPUs.
    """
    page = written("systems/cloud-tpu-v2-8/")
    systems = ("cloud-tpu-v2-8", "cloud-tpu-v4-128", "aws-p3.8xlarge")
    on_tpu, on_later, on_gpu = (
        plain(limits.limits(page, page.site.machines[id_])) for id_ in systems
    )

    assert "XGBoost" in on_tpu
    assert "May 2019" in on_tpu
    assert "XGBoost" not in on_later + on_gpu


def test_an_accelerator_has_the_limits_that_are_its_own(written: Written) -> None:
    """Those of its kind with their date, none of a provider; of one without any its page says so."""
    page = written("accelerators/tpu-v2/")
    hardware = page.site.catalog.hardware
    limited = accelerator_page(page, hardware["tpu-v2"]).body
    other = accelerator_page(page, hardware["gtx-1080-ti"]).body

    assert "XGBoost" in limited and "May 2019" in limited
    assert "session" not in plain(limits.limits(page, hardware["tpu-v2"]))
    assert "limits" not in plain(about(page, hardware["tpu-v2"], limited=True)).lower()
    assert "XGBoost" not in other
    assert "limits" in plain(about(page, hardware["gtx-1080-ti"], limited=False)).lower()


def test_an_unsupported_machine_says_so(written: Written) -> None:
    """Four T4 were tested where three were supported; three V100 were what fits."""
    page = written("systems/poweredge-r740-t4/")
    four, three = (
        plain(limits.unsupported(page, page.site.machines[f"poweredge-r740-{name}"]))
        for name in ("t4", "v100")
    )

    assert "4 accelerators were tested" in four
    assert "2021" in four
    assert three == ""


def test_a_run_beyond_a_limit_is_flagged(written: Written) -> None:
    """By the number of accelerators that the maker supported, and by the shortest session of its
    provider.
    """
    page = written("runs/any/")
    within, beyond = (page.site.runs[f"t4-v100-mlperf-gnmt-t4-{n}"] for n in (3, 4))
    short = page.site.runs["rtx2080ti-colab-tpu-tpu-cnn10-128"]
    long = dataclasses.replace(short, metrics=(Metric("train_time_s", 30_000.0, "s"),))

    assert limits.of_run(page, within) == limits.of_run(page, short) == []
    assert "supported" in plain(limits.of_run(page, beyond)[0])
    assert "6 h" in plain(limits.of_run(page, long)[0])
    assert "6 h" in plain(
        limits.of_run(page, dataclasses.replace(short, metrics=(), wall_time_s=30_000.0))[0]
    )
