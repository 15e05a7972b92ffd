"""What tables and logs of Lambda's benchmark share: its models, its machines' names, its runs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from kernels.catalog import Catalog
from kernels.importers.base import accelerator, plain
from kernels.machine.system import slug
from kernels.records import (
    NO_LICENCE,
    Environment,
    Metric,
    Origin,
    Precision,
    Run,
    Setting,
    Source,
    SourceKind,
    Stat,
    Status,
)

SOURCE: Final = Source(
    source="lambda-deep-learning-benchmark",
    kind=SourceKind.LOGS,
    title="Lambda deep learning benchmark",
    url="https://github.com/lambdal/deeplearning-benchmark",
    language="en",
    licence=NO_LICENCE,
    credit="Lambda, deep learning benchmark",
    publisher="Lambda",
    code="https://github.com/lambdal/deeplearning-benchmark",
)


@dataclass(frozen=True, slots=True)
class Model:
    """What a model's column and log state.

    Attributes:
        metric: Name of the figure.
        counted: What it counts, in the source's words.
        global_batch: Whether its scripts take the batch size of all GPUs together; the others take
            that of one.
        figure: Finds the figure in a line of a log.
        workload: Id in the catalogue where it is that workload exactly; else the model's own.
    """

    metric: str
    counted: str
    figure: str
    global_batch: bool = False
    workload: str | None = None


_IMAGES: Final = "throughput_images_per_s"
_SAMPLES: Final = "throughput_samples_per_s"
_TOKENS: Final = "throughput_tokens_per_s"

MODELS: Final[Mapping[str, Model]] = {
    "resnet50": Model(
        _IMAGES,
        "images",
        r"^(?>.*?Summary:).*\btrain\.total_ips\s*:\s*{n}",
        workload="resnet50-imagenet",
    ),
    "ssd": Model(_IMAGES, "images", r"Training performance\s*=\s*{n}"),
    "maskrcnn": Model(_IMAGES, "images", r"Training perf is:\s*{n}", global_batch=True),
    # A sequence is what the model is fed with at once, as an image is.
    "bert_base_squad": Model(
        _SAMPLES, "sequences", r"(?:training throughput:|training_sequences_per_second\s*:)\s*{n}"
    ),
    "bert_large_squad": Model(
        _SAMPLES, "sequences", r"(?:training throughput:|training_sequences_per_second\s*:)\s*{n}"
    ),
    "ncf": Model(
        _SAMPLES, "pairs of user and item", r"best_train_throughput:\s*{n}", global_batch=True
    ),
    "gnmt": Model(_TOKENS, "tokens", r"Training:\s*{n}\s*Tok/s"),
    "transformerxlbase": Model(_TOKENS, "tokens", r"Training throughput:\s*{n}", global_batch=True),
    "transformerxllarge": Model(
        _TOKENS, "tokens", r"Training throughput:\s*{n}", global_batch=True
    ),
    # Not utterances: the script counts what it makes of them, so the figure cannot be divided by
    # the batch size.
    "tacotron2": Model(
        _SAMPLES,
        "frames of mel spectrograms",
        r"(?:train_items_per_sec\s*:|train_epoch_avg_items/sec:)\s*{n}",
    ),
    "waveglow": Model(
        _SAMPLES,
        "samples of audio",
        r"(?:train_items_per_sec\s*:|train_epoch_avg_items/sec:)\s*{n}",
    ),
}
"""Models by the name of their column; the scripts are NVIDIA's Deep Learning Examples, which print
these units.
"""

_UNITS: Final = {_IMAGES: "images/s", _SAMPLES: "samples/s", _TOKENS: "tokens/s"}

PRECISIONS: Final[Mapping[str, Precision]] = {
    "fp32": Precision.FP32,
    "tf32": Precision.TF32,
    "fp16": Precision.FP16,
    "amp": Precision.AMP_FP16,
    "bf16": Precision.BF16,
}
"""Precision by its word in the name of a table or of a log's folder."""

CARDS: Final[Mapping[str, str]] = {
    "1080ti": "GTX 1080 Ti",
    "2080ti": "RTX 2080 Ti",
    "3070": "RTX 3070",
    "3080": "RTX 3080",
    "3090": "RTX 3090",
    "4090": "RTX 4090",
    "v10016gb": "V100",  # its form factor is not said
    "v10032gb": "V100",
    "a4000": "RTX A4000",
    "a5000": "RTX A5000",
    "a6000": "RTX A6000",
}
"""Cards by the short names of machines, letters and digits alone, as the benchmark's own list of
systems explains them.
"""

HOSTS: Final = (
    "lambdacloud",
    "lambda cloud",
    "linode cloud",
    "linode",
    "delltexas",
    "dell",
    "smc",
    "1cc",
    "raidz1",
)
"""Words before a card that say whose machine it is in."""

COUNT: Final = re.compile(r"(?:^|\s)(\d{1,3})\s*x\s*(?=[A-Za-z0-9])", re.IGNORECASE)
_TAIL: Final = re.compile(r"(?<!\s)\s*+(?:nvlink|trt\d?|v\d|gen\d)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine by its name: what is in it as far as the name says."""

    name: str
    card: str
    accelerator: str | None
    accelerators: int | None
    system: str


def machine_of(name: str, known: Catalog, stated: int | None = None) -> tuple[Machine, str | None]:
    """Returns what a machine's name says, and a warning.

    Args:
        name: Such as `LambdaCloud 2x V100 16GB`, `2x2080TiNVlink_trt` or `p3.8xlarge`.
        known: The catalogue.
        stated: GPUs that a column or the log states.
    """
    rented = [
        each
        for each in known.systems.values()
        if each.instance is not None and each.instance.lower() == name.lower()
    ]
    if len(rented) == 1:
        system = rented[0]
        machine = Machine(
            name, system.hardware, system.hardware, system.accelerators, system.system
        )
        verb = f"has {machine.accelerators} accelerators"
    else:
        machine = _named(name, known)
        verb = f"names {machine.accelerators} GPUs"
    chips = machine.accelerators
    if chips is not None and stated not in {None, chips}:
        warning = f"{name!r} {verb} and {stated} are stated; their number is left open"
        return replace(machine, accelerators=None), warning
    if chips is not None or stated is not None:
        return replace(machine, accelerators=chips if stated is None else stated), None
    if machine.accelerator is not None:
        return replace(machine, accelerators=1), None  # a card's name alone, as in `2080Ti`
    return machine, (
        f"{name!r} does not say how many accelerators there are; their number is left open"
    )


def _named(name: str, known: Catalog) -> Machine:
    """Returns what the words of a machine's name say: whose it is, how many cards, which."""
    words = name.replace("_", " ").replace("—", " ").strip()
    count = COUNT.search(words)
    card = _TAIL.sub("", COUNT.sub(" ", words)).strip()
    for host in HOSTS:
        if card.lower().startswith(host + " "):
            card = card[len(host) :].strip()
    chip = accelerator(card, known.hardware) or accelerator(
        CARDS.get(plain(card), card), known.hardware
    )
    chips = int(count[1]) or None if count else None
    return Machine(name, card, chip, chips, f"lambda-{slug(name) or 'unknown'}")


def figure_of(
    model: str, rate: float | None, missing: Status, locator: str | None = None
) -> Metric:
    """Returns the figure of a model, or why there is none."""
    name = MODELS[model].metric
    status = missing if rate is None else Status.OK
    return Metric(name, rate, _UNITS[name], status=status, stat=Stat.NOT_STATED, locator=locator)


def run_of(machine: Machine, model: str, *settings: Setting, pytorch: bool, **fields: Any) -> Run:
    """Returns a run of a model on a machine."""
    return Run(
        origin=Origin.IMPORTED,
        source=SOURCE.source,
        licence=SOURCE.licence,
        credit=SOURCE.credit,
        workload=MODELS[model].workload or f"lambda-{slug(model)}",
        system=machine.system,
        accelerator=machine.accelerator,
        accelerators=machine.accelerators,
        framework="PyTorch" if pytorch else None,
        settings=(Setting("counted", MODELS[model].counted), *settings),
        environment=Environment(
            accelerator_name=machine.card[:200] or None,
            accelerator_count=machine.accelerators,
            extra=(Setting("machine", machine.name[:200]),),
        ),
        **fields,
    )
