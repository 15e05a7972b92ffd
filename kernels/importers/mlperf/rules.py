"""What the rules of MLPerf Training say and the logs often leave out: names, metrics, targets by
round.

Targets are from the training rules of each round (mlcommons/training_policies,
`training_rules.adoc`); a run that takes one from here records it as reconstructed.
"""

import re
from collections.abc import Mapping
from typing import Final

from kernels.records import Certainty, Direction, Target

BENCHMARKS: Final[Mapping[str, str]] = {
    "mask": "maskrcnn",
    "image_classification": "resnet",
    "resnet50": "resnet",
    "single_stage_detector": "ssd",
    "mask_rcnn": "maskrcnn",
    "object_detection": "maskrcnn",
    "rnn_translator": "gnmt",
    "gnn": "rgat",
}
"""Other names that logs and folders give a benchmark."""

_BECAME: Final[Mapping[str, tuple[str, str]]] = {
    "ssd": ("v2.0", "retinanet"),
    "minigo": ("v0.7", "minigo_19x19"),
}
"""Benchmarks whose name went to another one, with the round since when: logs of v2.0 to v4.1 call
RetinaNet on OpenImages `ssd`, and from v0.7 on Go is played on the full board.
"""

WORKLOADS: Final[Mapping[str, str]] = {
    "bert": "bert-wikipedia",
    "dlrm": "dlrm-criteo-1tb",
    "dlrm_dcnv2": "dlrm-dcnv2-criteo-4tb",
    "flux1": "flux1-cc12m",
    "gnmt": "gnmt-wmt-en-de",
    "gpt3": "gpt3-175b-c4",
    "llama2_70b_lora": "llama2-70b-lora-scrolls",
    "llama31_405b": "llama3.1-405b-c4",
    "llama31_8b": "llama3.1-8b-c4",
    "maskrcnn": "mask-rcnn-coco",
    "minigo": "minigo-9x9",
    "minigo_19x19": "minigo-19x19",
    "ncf": "ncf-movielens-20m",
    "resnet": "resnet50-imagenet",
    "retinanet": "retinanet-openimages",
    "rgat": "rgat-igbh",
    "rnnt": "rnnt-librispeech",
    "ssd": "ssd-coco",
    "stable_diffusion": "stable-diffusion-laion",
    "transformer": "transformer-wmt-en-de",
    "unet3d": "unet3d-kits19",
}
"""Workload ids by benchmark; a benchmark that is not here becomes `mlperf-<benchmark>`."""

METRICS: Final[Mapping[str, tuple[str, ...]]] = {
    "bert": ("masked_lm_accuracy",),
    "dlrm": ("auc",),
    "dlrm_dcnv2": ("auc",),
    "flux1": ("loss",),
    "gnmt": ("bleu",),
    "gpt3": ("log_perplexity",),
    "llama2_70b_lora": ("loss",),
    "llama31_405b": ("log_perplexity",),
    "llama31_8b": ("log_perplexity",),
    "maskrcnn": ("box_ap", "mask_ap"),
    "minigo": ("win_rate",),
    "minigo_19x19": ("win_rate",),
    "ncf": ("hr10",),
    "resnet": ("top1",),
    "retinanet": ("map",),
    "rgat": ("accuracy",),
    "rnnt": ("wer",),
    "ssd": ("map",),
    "stable_diffusion": ("fid", "clip"),
    "transformer": ("bleu",),
    "unet3d": ("mean_dice",),
}
"""What `eval_accuracy` is, by benchmark, in the order in which logs write several; `quality` for a
benchmark that is not here.
"""

PARTS: Final[Mapping[str, str]] = {
    "BBOX": "box_ap",
    "SEGM": "mask_ap",
    "FID": "fid",
    "CLIP": "clip",
}
"""Names under which logs write one of several metrics."""

LOWER: Final = frozenset({"loss", "log_perplexity", "wer", "fid"})
"""Metrics of which less is better."""

PERCENT: Final = frozenset({"bleu"})
"""Metrics that some logs write in hundredths and some as a fraction; recorded as a fraction."""

SUBMITTERS: Final[Mapping[str, str]] = {
    "alibaba": "Alibaba",
    "amd": "AMD",
    "asustek": "ASUSTeK",
    "azure": "Azure",
    "cisco": "Cisco",
    "coreweave": "CoreWeave",
    "dell": "Dell",
    "dellemc": "Dell EMC",
    "fujitsu": "Fujitsu",
    "gigabyte": "GIGABYTE",
    "gigacomputing": "Giga Computing",
    "google": "Google",
    "graphcore": "Graphcore",
    "habana": "Habana",
    "hpe": "HPE",
    "ibm": "IBM",
    "inspur": "Inspur",
    "intel": "Intel",
    "intel-habanalabs": "Intel-HabanaLabs",
    "juniper": "Juniper",
    "krai": "Krai",
    "lambda": "Lambda",
    "lenovo": "Lenovo",
    "mangoboost": "MangoBoost",
    "microsoft": "Microsoft",
    "mitac": "MiTAC",
    "nebius": "Nebius",
    "nettrix": "Nettrix",
    "nvidia": "NVIDIA",
    "nvidia+coreweave": "NVIDIA+CoreWeave",
    "oracle": "Oracle",
    "quanta_cloud_technology": "Quanta Cloud Technology",
    "supermicro": "Supermicro",
    "tinycorp": "tinycorp",
    "university-of-florida": "University of Florida",
    "xfusion": "xFusion",
}
"""Submitters as they are named here, by their folder in lower case; rounds, and files of one round,
write them in several ways.
"""

ACCELERATORS: Final[Mapping[str, str]] = {
    "tpuv2-8": "tpu-v2",
    "tpuv2-512": "tpu-v2",
    "tpuv3-8": "tpu-v3",
    "tpuv3-32": "tpu-v3",
    "tpuv3-512": "tpu-v3",
    "tpu-v3": "tpu-v3",
    "tpu v3": "tpu-v3",
    "tesla v100-sxm2-16gb": "v100-sxm2-16gb",
    "nvidia tesla v100-sxm2-16gb": "v100-sxm2-16gb",
    "nvidia tesla v100-sxm2-32gb": "v100-sxm2-32gb",
    "v100": "v100",
    "nvidia v100": "v100",
    "nvidia a30": "a30",
    "nvidia geforce rtx 4090": "rtx-4090",
    "amd instinct mi300x 192gb hbm3": "mi300x",
    "nvidia blackwell gpu (b200-sxm-180gb)": "b200",
    "nvidia blackwell gpu (gb200)": "gb200",
}
"""Hardware ids by the names that submissions write, lower case; beside the names and aliases in
`catalog/hardware.csv`.
"""

AMBIGUOUS: Final[tuple[tuple[str, str, str, str, str], ...]] = (
    ("google", "v0.7", r"tpu-v4-.*", "tpu", "tpu-v4"),
    ("google", "v1.0", r"tpu-v4-.*", "tpu", "tpu-v4"),
    ("google", "v1.1", r"tpu-v4-.*", "tpu", "tpu-v4"),
    # 40 GB by the same file, which does not name its form.
    ("inspur", "v0.7", r"nf5488_.*", "nvidia a100", "a100-40gb"),
)
"""Names that fit several accelerators: submitter, round, system's folder, name as written, and the
hardware id that it means there.
"""

SYSTEMS: Final[tuple[tuple[str, str, str], ...]] = (
    ("google", r"cloud_v2\.8-(?>.*?tpu).*", "cloud-tpu-v2-8"),
    ("google", r"cloud_v100x8-8xv100", "gcp-8xv100"),
    # Its file names another main memory and no form of the V100, so it is not known to be the same
    # machine.
    ("google", r"gpu-v100-8-tf2\.0", "gcp-8xv100-v0.7"),
    ("google", r"tpu-v3-32(-.*)?", "cloud-tpu-v3-32"),
    ("google", r"tpu-v4-128(-.*)?", "cloud-tpu-v4-128"),
    ("nvidia", r"dgx1_(?!multi_|n\d+_).*", "nvidia-dgx-1"),
    ("nvidia", r"tyche_ngpu8_.*", "nvidia-gb200-8x"),
    ("dellemc", r"c4140", "dell-c4140"),
    ("xfusion", r"g5500v7x8xa30", "xfusion-g5500v7-8xa30"),
    ("tinycorp", r"tinybox_green", "tinycorp-tinybox-green"),
    ("lenovo", r"sr780av3-8xb200_sxm_180gb", "lenovo-sr780a-v3-8xb200"),
    ("amd", r"mi300x_epyc_9575f_.*", "amd-8xmi300x"),
)
"""Systems of the catalogue by submitter's folder and the folders that tell its systems apart, both
lower case: one machine under several stacks is one system. Any other gets an id of its own.
"""

_TARGETS: Final[Mapping[str, tuple[tuple[str, tuple[float, ...]], ...]]] = {
    "bert": (("v0.7", (0.712,)), ("v1.0", (0.72,))),
    "dlrm": (("v0.7", (0.8025,)),),
    "dlrm_dcnv2": (("v3.0", (0.80275,)),),
    "flux1": (("v5.1", (0.586,)),),
    "gnmt": (("v0.5", (0.218,)), ("v0.6", (0.24,))),
    "gpt3": (("v3.0", (2.69,)),),
    "llama2_70b_lora": (("v4.0", (0.925,)),),
    "llama31_405b": (("v5.0", (5.6,)),),
    "llama31_8b": (("v5.1", (3.3,)),),
    "maskrcnn": (("v0.5", (0.377, 0.339)),),
    "minigo_19x19": (("v0.7", (0.5,)),),
    "ncf": (("v0.5", (0.635,)),),
    "resnet": (("v0.5", (0.749,)), ("v0.6", (0.759,))),
    "retinanet": (("v2.0", (0.34,)),),
    "rgat": (("v4.0", (0.72,)),),
    "rnnt": (("v1.0", (0.058,)),),
    "ssd": (("v0.5", (0.212,)), ("v0.6", (0.23,))),
    "stable_diffusion": (("v3.1", (90.0, 0.15)),),
    "transformer": (("v0.5", (0.25,)),),
    "unet3d": (("v1.0", (0.908,)),),
}
"""From which round on a benchmark had which targets, in the order of `METRICS`; a round before the
first has none here.

Benchmarks of v0.5 have the targets of the rules of 2018-12-18, those that are in v0.7 and v1.0 the
targets of these rounds' rules (training_rules.adoc, versions 0.7 and 1.0); v0.6 is known to differ
from v0.5 by ResNet, SSD and GNMT alone. What came after v1.0 is that of the rules as they stood in
each round (mlcommons/training_policies at 49e4c4a, 7a0d1c0, 4b1948a, 8780c8c, 8279112, d38fe44,
7e29867 and 65f0132 for v2.0 to v5.1). MiniGo's goal before v0.7 is not known here.
"""

BATCH_PER_DEVICE: Final = frozenset({("nvidia", "resnet"), ("nvidia", "ssd")})
"""v0.5 logs whose `input_batch_size` is of one GPU, by submitter and benchmark."""

BATCH_GLOBAL: Final = frozenset({("google", "resnet"), ("google", "gnmt")})
"""v0.5 logs whose `input_batch_size` is of the whole system. Any other is not known to be either,
and is kept as a setting.
"""

EPOCH_SAMPLES: Final[Mapping[str, int]] = {"resnet": 1_281_167, "ssd": 117_266, "maskrcnn": 117_266}
"""Training images of an epoch, by which a v0.5 log that counts both steps and epochs tells whose
`input_batch_size` is.
"""

CLOSE: Final = 0.05
"""How far steps by batch size may be from the images of an epoch; Google's SSD takes 120,000 for
them.
"""

TOKENS: Final[Mapping[str, int]] = {"gpt3": 2048}
"""Tokens of one sequence, for benchmarks whose logs count tokens as their "epoch" or samples; a
sequence is a sample.
"""

TOKENS_FROM: Final = 20_000_000
"""A count from here on is one of tokens: the sequences of such a run are some hundred thousand, and
it is evaluated every 24,576.
"""

MOST_EPOCHS: Final[Mapping[str, int]] = {"unet3d": 20_000}
"""Epochs that a run may have where that is more than any other benchmark's: an epoch of U-Net is
168 images, and takes thousands.
"""

BATCH_UNITS_UNKNOWN: Final = frozenset({"transformer"})
"""Benchmarks whose logs count a batch in sentences with some submitters and in tokens with others,
and do not say which; it is kept as a setting. The scripts of NVIDIA and Dell have tokens (81920 and
61440), Google's 512 is no number of tokens.
"""

BATCHES_AS_SAMPLES: Final = frozenset({"retinanet"})
"""Benchmarks whose logs write the batches of an epoch under `train_samples`."""


def order(round_: str) -> tuple[int, ...]:
    """A round as numbers, so that v10.0 comes after v5.1."""
    return tuple(int(part) for part in round_.lstrip("v").split("."))


def system_of(submitter: str, folder: str) -> str | None:
    """The catalogue's id of a system; None for one that is not there."""
    return next(
        (
            id_
            for who, what, id_ in SYSTEMS
            if who == submitter.lower() and re.fullmatch(what, folder.lower())
        ),
        None,
    )


def submitter_of(folder: str | None, written: str | None) -> tuple[str, str]:
    """Name of a submitter, and the one that its source goes by.

    The source's depends on the folder alone, so that it is the same whichever of the submitter's
    logs is read first. What a submission writes counts for its runs where no table knows the folder
    and more than upper and lower case differs.
    """
    known = folder or written or "unknown submitter"
    name = SUBMITTERS.get(known.lower(), known)
    if known.lower() in SUBMITTERS or written is None or written.lower() == name.lower():
        return name, name
    return written, name


def accelerator_of(submitter: str, round_: str | None, folder: str, name: str) -> str | None:
    """The hardware id of an accelerator by the name that a submission writes, as far as the tables
    above know it.
    """
    plain = name.strip().lower()
    for who, when, where, what, id_ in AMBIGUOUS:
        if (who, when, what) == (submitter.lower(), round_, plain) and re.fullmatch(
            where, folder.lower()
        ):
            return id_
    return ACCELERATORS.get(plain)


def benchmark_of(name: str, round_: str | None = None) -> str:
    """The benchmark by its usual name, and by what that name means in a round."""
    plain = name.strip().lower().replace("-", "_")
    usual = BENCHMARKS.get(plain, plain)
    since, later = _BECAME.get(usual, ("", usual))
    return later if since and round_ is not None and order(round_) >= order(since) else usual


def metrics_of(benchmark: str) -> tuple[str, ...]:
    """Returns what the benchmark's quality is measured by."""
    return METRICS.get(benchmark, ("quality",))


def direction(metric: str) -> Direction:
    """On which side of a target it is reached."""
    return Direction.AT_MOST if metric in LOWER else Direction.AT_LEAST


def fraction(metric: str, value: float) -> float:
    """A value as it is recorded: hundredths become a fraction where the metric is one."""
    return value / 100 if metric in PERCENT and value > 1 else value


def targets(benchmark: str, round_: str | None) -> tuple[Target, ...]:
    """The targets of a benchmark in a round; empty where the round is unknown and the target
    changed, or nothing is known.
    """
    steps = _TARGETS.get(benchmark, ())
    if round_ is not None:
        steps = tuple(step for step in steps if order(step[0]) <= order(round_))[-1:]
    if len(steps) != 1:
        return ()
    values = steps[0][1]
    return tuple(
        Target(metric, value, direction(metric), certainty=Certainty.RECONSTRUCTED)
        for metric, value in zip(metrics_of(benchmark), values, strict=True)
    )
