"""CNN-10, WRN-28-10, the Fashion-MNIST net: heads, catalogue and source say what they do."""

import re
from pathlib import Path
from types import ModuleType

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test without TORCH=no installs it")

from torch import nn

from kernels import catalog, datasets
from kernels.audit import formulas
from kernels.backends.pytorch import PyTorch
from kernels.datasets import fetch
from kernels.errors import MeasureError
from kernels.harness import jobs, journal, recover
from kernels.records import DataKind, Environment, Precision
from kernels.workloads import WORKLOADS, cifar10, cnn10, fashion_cnn, pictures, wrn28_10
from kernels.workloads.operations import training_flop
from tests.kernels.datasets.packages import tiny
from tests.kernels.own_runs import a_request

pytestmark = pytest.mark.torch

MODULES = {"cnn10": cnn10, "wrn28_10": wrn28_10, "fashion_cnn": fashion_cnn}


def parameters(network: nn.Module) -> int:
    """As many as the optimiser sees."""
    return sum(each.numel() for each in network.parameters())


def backend() -> PyTorch:
    """The CPU, with the threads that are set already."""
    return PyTorch("cpu", Precision.FP32, torch.get_num_threads(), seed=0)


@pytest.fixture(autouse=True)
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiny sets in the place of the real ones: 15 and 20 pictures to train, ten to test."""
    monkeypatch.setenv(datasets.VARIABLE, str(tmp_path / "cache"))
    made = {}
    for name in ("cifar10", "fashion-mnist"):
        made[name], file = tiny(name, tmp_path)
        fetch.fetch(made[name], datasets.path(name), lambda *_: None, file)
    monkeypatch.setattr(datasets, "DATASETS", {**datasets.DATASETS, **made})


@pytest.mark.parametrize(
    ("network", "wanted", "printed"),
    [
        (cnn10.model(), 1_923_914, 1.9e6),
        (wrn28_10.model(), 36_479_194, 36.5e6),
        (cnn10.model(0.25), 121_562, None),
        (wrn28_10.model(0.1), 369_498, None),
    ],
    ids=["cnn10", "wrn28_10", "cnn10 quarter", "wrn28_10 tenth"],
)
def test_the_networks_have_the_parameters_that_the_source_prints(
    network: nn.Module, wanted: int, printed: float | None
) -> None:
    """1.9 and 36.5 million, to the digit printed; the narrow ones what their heads say."""
    assert parameters(network) == wanted
    assert printed is None or round(wanted / 1e5) == round(printed / 1e5)


@pytest.mark.parametrize("name", MODULES)
def test_the_heads_state_the_parameters(name: str) -> None:
    """Those of the full network, and of the narrow one where there is one."""
    module, plan = MODULES[name], WORKLOADS[name]
    stated = [
        int(each.replace(",", ""))
        for each in re.findall(r"([\d,]{5,})\s+parameters", module.__doc__ or "")
    ]

    built = (
        [parameters(module.model(width)) for width in (1.0, *(each.factor for each in plan.widths))]
        if plan.widths
        else [parameters(module.model())]
    )

    assert set(built) <= set(stated)


def test_cnn10_differs_from_the_catalogue_by_its_normalisation_alone() -> None:
    """The catalogue counts blocks with biases; here a scale and a shift a channel."""
    counted = catalog.load().workloads["cnn10-cifar10"].parameters
    channels = [channels for channels in cnn10.CHANNELS for _ in range(cnn10.REPEATS)]

    assert counted is not None
    assert parameters(cnn10.model()) == counted - sum(channels) + 2 * sum(channels)


def test_wrn_is_the_one_that_the_claims_count() -> None:
    """The formula of its authors' building plan, and the catalogue."""
    assert (
        parameters(wrn28_10.model())
        == formulas.wide_resnet_parameters(28, 10, 10)
        == catalog.load().workloads["wrn28-10-cifar10"].parameters
    )


@pytest.mark.parametrize(
    "plan",
    [
        WORKLOADS[name].at(width)
        for name, width in (
            ("cnn10", 1),
            ("cnn10", 0.25),
            ("wrn28_10", 1),
            ("wrn28_10", 0.1),
            ("fashion_cnn", 1),
        )
    ],
    ids=lambda plan: plan.workload,
)
def test_plan_and_catalogue_agree(plan) -> None:  # type: ignore[no-untyped-def]  # pytest's own table
    """Samples and metric; a narrow network is a workload of its own, with a target of its own."""
    known = catalog.load().workloads[plan.workload]

    assert plan.train_samples == known.train_samples
    assert plan.target.metric == known.metric
    assert known.eval_samples == 10_000
    assert known.runnable is True


def test_the_learning_rate_drops_at_half_and_at_four_fifths() -> None:
    """At 50 and 80 of 100 epochs, or the next border; never beyond a hundredth."""
    hundred = [cifar10.factor(done, 100) for done in range(100)]

    assert (hundred[49], hundred[50], hundred[79], hundred[80]) == pytest.approx(
        (1, 0.1, 0.1, 0.01)
    )
    assert [cifar10.factor(done, 7) for done in range(7)] == pytest.approx(
        [1, 1, 1, 1, 0.1, 0.1, 0.01]
    )
    assert [cifar10.factor(done, 10) for done in (4, 5, 7, 8)] == pytest.approx([1, 0.1, 0.1, 0.01])


def test_the_learning_rate_is_in_proportion_to_the_batch() -> None:
    """0.1 at 128 and 0.4 at 512, as the source says; drops follow the epochs of the training."""
    rates = {}
    for batch in (128, 512):
        trained = cnn10.training(
            backend(),
            batch_size=batch,
            epochs=2,
            data=DataKind.SYNTHETIC_DEVICE,
            width=0.25,
            augmentation="none",
        )
        rates[batch] = trained.learning_rate()
    small = cnn10.training(
        backend(), batch_size=5, epochs=2, data=DataKind.REAL, width=0.25, augmentation="none"
    )
    seen = []
    for _ in range(2):
        for step in small.steps():
            seen.append(small.learning_rate())
            step()
    # a throughput run goes on after the last epoch, at its last and lowest rate
    next(iter(small.steps()))()

    assert rates == pytest.approx({128: 0.1, 512: 0.4})
    assert seen == pytest.approx([0.1 * 5 / 128] * 3 + [0.01 * 5 / 128] * 3)
    assert small.learning_rate() == pytest.approx(0.01 * 5 / 128)


def build(module: ModuleType, data: DataKind, augmentation: str = "none") -> pictures.Classifier:
    """A training of a tenth or a quarter of the width, in batches of five."""
    options: dict[str, object] = (
        {}
        if module is fashion_cnn
        else {"width": 0.25 if module is cnn10 else 0.1, "augmentation": augmentation}
    )
    made: pictures.Classifier = module.training(
        backend(), batch_size=5, epochs=2, data=data, **options
    )
    return made


@pytest.mark.parametrize("data", DataKind)
@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_each_trains_a_step_and_is_judged(module: ModuleType, data: DataKind) -> None:
    """On real pictures there is a quality and a digest of data; on made-up ones neither."""
    trained = build(module, data)

    next(iter(trained.steps()))()

    assert trained.loss() > 0
    found = trained.evaluate()
    assert (
        (found.keys() == {"top1"} and 0 <= found["top1"] <= 1)
        if data is DataKind.REAL
        else not found
    )
    assert ("data_sha256" in trained.settings) == (data is DataKind.REAL)


def test_the_work_of_a_picture_is_counted_and_nothing_is_drawn_for_it() -> None:
    """1.59 GFLOP of CNN-10, 31.46 of WRN-28-10; a seed makes the same weights and order."""
    torch.manual_seed(7)
    with torch.device("meta"):
        flop = [training_flop(module.model(), 3, 32, 32) for module in (cnn10, wrn28_10)]
    drawn = torch.rand(1)
    torch.manual_seed(7)

    assert flop == [1_592_540_160, pytest.approx(31.46e9, rel=1e-3)]
    assert drawn == torch.rand(1)
    assert 0 < build(cnn10, DataKind.SYNTHETIC_DEVICE).rates["achieved_flop_per_s"] < flop[0] / 10


def test_an_epoch_has_full_batches_of_different_pictures() -> None:
    """Twenty pictures in three batches of six, in a new order each time."""
    source = pictures.Resident(backend(), "fashion-mnist", fashion_cnn.SHAPE, 6, "none")
    epochs = [[images for images, _ in source.train(1)] for _ in range(2)]

    assert [len(images) for images in epochs[0]] == [6, 6, 6]
    assert len({images[index].sum().item() for images in epochs[0] for index in range(6)}) == 18
    assert not torch.equal(epochs[0][0], epochs[1][0])


def test_pixels_are_normalised_by_channel() -> None:
    """(x / 255 - mean) / deviation, channels last, labels beside their pictures."""
    arrays = datasets.load("cifar10")
    source = pictures.Resident(backend(), "cifar10", cifar10.SHAPE, 15, "none")
    ((images, labels),) = source.held_out()

    wanted = (arrays["test_images"][3, 4, 5] / 255 - cifar10.SHAPE.mean) / cifar10.SHAPE.deviation
    assert images[3, :, 4, 5].tolist() == pytest.approx(wanted.tolist(), rel=1e-4)
    assert images.is_contiguous(memory_format=torch.channels_last)
    assert labels.tolist() == arrays["test_labels"].tolist()


def test_augmentation_mirrors_and_shifts_and_nothing_else() -> None:
    """A picture is a window of itself in zeros, mirrored or not; both and all shifts happen."""
    torch.manual_seed(0)
    images = (
        torch.arange(1, 1 + 2 * 6 * 6)
        .float()
        .reshape(1, 2, 6, 6)
        .expand(400, -1, -1, -1)
        .contiguous(memory_format=torch.channels_last)
    )

    changed = pictures.flipped_and_shifted(images)

    span, border = 2 * pictures.SHIFT + 1, torch.nn.functional.pad(images[0], (pictures.SHIFT,) * 4)
    windows = {
        tuple(window.flatten().tolist()): (down, right, mirrored)
        for down in range(span)
        for right in range(span)
        for mirrored in (False, True)
        for window in [border[:, down : down + 6, right : right + 6]]
        for window in [window.flip(2) if mirrored else window]
    }
    found = [windows[tuple(each.flatten().tolist())] for each in changed]
    assert {down for down, _, _ in found} == {right for _, right, _ in found} == set(range(span))
    assert 150 < sum(mirrored for _, _, mirrored in found) < 250
    assert changed.is_contiguous(memory_format=torch.channels_last)


def test_a_batch_larger_than_the_data_is_refused() -> None:
    """With the largest that can be had."""
    with pytest.raises(MeasureError, match="15 training images"):
        cnn10.training(
            backend(), batch_size=16, epochs=2, data=DataKind.REAL, width=0.25, augmentation="none"
        )


def test_a_narrow_run_is_recorded_as_another_workload(tmp_path: Path) -> None:
    """Its own id, name and target, not beside the full network; augmentation is a column."""
    plan = WORKLOADS["cnn10"].at(0.25)
    request = a_request(
        "cpu", plan=plan, batch_sizes=(128,), threads=1, width=0.25, augmentation="standard"
    )
    (job,) = jobs.jobs(request, jobs.Place("cpu", "toy-2c", "cpu-toy"), tmp_path)
    path = journal.create(tmp_path, job, Environment())
    journal.append(path, "exit", status="killed", detail="by the test", stop_reason="killed")

    run = recover.run_of(journal.read(path))

    assert run.run_id.startswith("cnn10-cifar10-quarter-width-toy-2c-")
    assert run.workload == "cnn10-cifar10-quarter-width"
    assert run.epochs_planned == 7.0
    assert run.augmentation is True
    assert [target.value for target in run.targets] == [0.78]
    assert build(cnn10, DataKind.REAL, "standard").settings["width"] == "0.25"
