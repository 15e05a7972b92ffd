"""Wrong values planted in a site that was built from one recorded run: `verify` names each of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pytest

import build
from kernels import store
from kernels.records import DataKind, Evaluation, Metric, Mode, Origin, Run, Status
from site_src.model import BuildOptions
from site_src.verify import verify
from site_src.verify_again import Again, again

RUN = Run(
    run_id="resnet-one",
    origin=Origin.MEASURED,
    source="measured",
    locator="here",
    licence="CC0-1.0",
    credit="Touchstone",
    workload="resnet50-imagenet",
    system="a-machine",
    status=Status.OK,
    mode=Mode.TRAINING,
    framework="PyTorch",
    accelerators=1,
    data=DataKind.SYNTHETIC_DEVICE,
    global_batch_size=64,
    metrics=(Metric("throughput_images_per_s", 1234.5678, "images/s", n=20), Metric("final_accuracy", 0.9861)),
    evaluations=(Evaluation("top1", 0.91, epoch=1.0), Evaluation("top1", 0.9861, epoch=2.0)),
)


@dataclass(frozen=True)
class Built:
    """A written site, and what the records give."""

    out: Path
    inputs: build.Inputs
    made: Again

    def faults(self, **changed: object) -> list[str]:
        """What `verify` says."""
        archive = replace(self.inputs.archive, **changed)  # type: ignore[arg-type]  # fields of an archive, by name
        return [str(one) for one in verify(self.out, archive, self.inputs.facts, self.inputs.locales, made=self.made)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Two other runs of the same, a batch size apart, so that there is something to compare."""
    folder = tmp_path_factory.mktemp("planted")
    slower = (Metric("throughput_images_per_s", 617.25, "images/s", n=20), Metric("final_accuracy", 0.9722))
    store.write(folder / "runs/measured/one.parquet", [RUN])
    store.write(folder / "runs/measured/two.parquet", [replace(RUN, run_id="resnet-two", source="elsewhere", system="b-machine", metrics=slower)])
    place = ["--runs", str(folder / "runs"), "--out", str(folder / "site"), "--lang", "en"]
    assert build.main([*place, "--date", "2026-11-20", "--runtime", "full"]) == 0
    options = BuildOptions(
        date=date(2026, 11, 20), out=folder / "site", cache=build.HERE / ".cache", issues=build.render.settings(build.HERE / "mkdocs.yml").get("issues", "")
    )
    inputs = build.read(build.Order(folder / "runs", ("en",), options))
    return Built(options.out, inputs, again(inputs.archive, inputs.catalog, inputs.facts, inputs.locales, options))


def test_what_was_built_passes(built: Built) -> None:
    """Nothing is planted, nothing is found."""
    assert built.faults() == []
    print(sorted(p.relative_to(built.out).as_posix() for p in (built.out/'c').rglob('*')))
