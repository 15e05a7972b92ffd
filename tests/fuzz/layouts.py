"""Folders made of fuzzed bytes, as each format wants them, with inputs to begin from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kernels.cli.imports import read_part
from kernels.errors import SourceError, TouchstoneError
from kernels.importers import FORMATS, Imported

OPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "prices": {"day": "2026-08-19", "source": "toy", "licence": "MIT", "credit": "Toyco"}
}
"""What has to be said of the files of a format."""

SEPARATOR: Final = b"\n====\n"
"""Between the files of an input; a format's files beyond those of its layout are left out."""

_MLPERF: Final = "training_results_v5.0/Toyco/results/box/bert"

FILES: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "article": (
        (
            "toy/source.toml",
            "toy/runs.csv",
            "toy/claims.toml",
            "toy/reviews.csv",
            "toy/tables/dataset.csv",
        ),
    ),
    "csv": (("toy.csv", "toy.curve.csv"),),
    "dawnbench": (
        ("CIFAR10/train/toy.json", "CIFAR10/train/toy.tsv"),
        ("ImageNet/inference/toy.json",),
    ),
    "lambda": (
        ("pytorch/pytorch-train-throughput-fp16.csv",),
        ("pytorch/results/2x_RTX/PyTorch_resnet50_FP16/01-01-2021_00-00-00.txt",),
    ),
    "mlperf": (
        (
            f"{_MLPERF}/result_0.txt",
            "training_results_v5.0/Toyco/systems/box.json",
            f"{_MLPERF}/scaling.json",
            f"{_MLPERF}/power/result_0/node_0.txt",
        ),
        (
            "training_results_v0.5/v0.5.0/toyco/all/results/box/resnet/result_0.txt",
            "training_results_v0.5/v0.5.0/toyco/all/results/box/entry.json",
        ),
    ),
    "prices": (
        ("gcp/vms.csv",),
        ("aws.csv",),
        ("tpu_pricing.json",),
        ("mine.csv",),
        ("cloud-gpus-2025-03-07.csv",),
        ("offerings.json",),
        ("history.jsonl",),
    ),
    "telemetry": (("nvidia_smi.csv",), ("GPU-Z Sensor Log.txt",)),
    "timm": (
        ("benchmark-train-amp-nchw-pt240-cu124-rtx3090.csv",),
        ("results-imagenet.csv",),
        ("benchmark-infer-amp-nchw-pt240-cu124-rtx3090.csv",),
    ),
}
"""Layouts of each format: where its files lie. The first byte of an input chooses one."""

SEEDS: Final[Mapping[str, tuple[bytes, ...]]] = {
    "article": (
        b'\x00source = "toy"\nkind = "article"\ntitle = "T"\nlanguage = "en"\nlicence = '
        b'"x"\ncredit = "x"\n',
    ),
    "csv": (
        b"\x00source,title,licence,credit,run_id,workload,system,accelerator,accelerators,target_metric,throughput_images_per_s,"
        b"epochs_to_target@0.757\ntoy-2024,Table,CC-BY-4.0,Toyco,toy-2024-first,resnet50-imagenet,box,v100,4,top1,2821,61\n"
        + SEPARATOR
        + b"run,metric,epoch,value\ntoy-2024-first,top1,1,0.5\n",
    ),
    "dawnbench": (
        b'\x00{"version": "v1.0", "author": "Toyco", "framework": "PyTorch 1.0", "hardware": "1 '
        b'V100", "model": "ResNet 18", '
        b'"costPerHour": 3.06, "timestamp": "2018-04-20"}'
        + SEPARATOR
        + b"epoch\thours\ttop1Accuracy\n1\t0.01\t90.0\n2\t0.02\t94.00",
        b'\x01{"version": "v1.0", "author": "Toyco", "framework": "MXNet", "hardware": "1 K80", '
        b'"model": "ResNet 50", "latency": 1.5, '
        b'"cost": 0.0001, "top5Accuracy": 93.2, "timestamp": "2018-04-20"}',
    ),
    "lambda": (
        b"\x00,resnet50,ssd,watt,price\nRTX_2080_Ti,300,0,250,1199\n",
        b"\x01DLL 2021-01-01 00:00:00 - Summary: train.total_ips : 1441.61 img/s\n",
        b"\x01DLL 2020-01-01 00:00:00 - PARAMETER arch : resnet50 batch_size : 64\nTraceback:\n",
    ),
    "mlperf": (
        b'\x00:::MLLOG {"time_ms": 1000, "key": "run_start", "value": null}\n'
        b':::MLLOG {"time_ms": 3000, "key": "eval_accuracy", "value": 0.72, "metadata": '
        b'{"epoch_num": 1}}\n'
        b':::MLLOG {"time_ms": 4000, "key": "run_stop", "metadata": {"status": "success"}}\n'
        + SEPARATOR
        + b'{"submitter": "Toyco", "number_of_nodes": "1", "accelerators_per_node": 8, '
        b'"accelerator_model_name": "NVIDIA A30"}'
        + SEPARATOR
        + b'{"scaling_factor": 1.03}'
        + SEPARATOR
        + b':::MLLOG {"time_ms": 1000, "key": "power_reading", "value": 300.0}\n',
        b'\x00:::MLL 1.0 run_start: {"value": null}\n'
        b':::MLL 9.0 run_stop: {"value": null, "metadata": {"status": "success"}}\n',
        b"\x01:::MLPv0.5.0 resnet 100.5 (a.py:1) run_start\n"
        b':::MLPv0.5.0 resnet 160.5 (a.py:2) eval_accuracy: {"epoch": 1, "value": 0.75}\n'
        b':::MLPv0.5.0 resnet 170.5 (a.py:3) run_stop: {"success": "true"}\n'
        + SEPARATOR
        + b'{"nodes": [{"num_nodes": "1", "num_accelerators": 8, "accelerator": "tpuv2-8"}]}',
    ),
    "prices": (
        b"\x00InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice\n"
        b"m,T4,1,{'Gpus': [{'MemoryInfo': {'SizeInMiB': "
        b"16384}}]},r,z,0.35,0.1\n,tpu-v2-8,1,tpu-v2-8,r,z,4.5,\n",
        b"\x01instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot\np3.8xlarge,us-east-1,12.24,4,V100,16.0,False\n",
        b'\x02{"TPU v5e": {"us-central1": {"Location": "Iowa", "On Demand (USD)": 1.2000, "Spot '
        b'(USD)": 0.6}}}',
        b"\x03provider,offer,accelerators,kind,amount,currency,per,hardware,includes\n"
        b"C,o,4,on_demand,~9.8,EUR,hour,v100,accelerator; host\n",
        b"\x03commit_date,commit,region,machine_type,accelerator,accelerator_count,hour,hour_spot,month,month_1y\n"
        b"2024-06-27,ab12,us-central1,a3-highgpu-8g,h100-80gb,8,88.49,20.3,64597,44897\n",
        b"\x03generated_on,commit,region,instance_type,usd_per_hour,accelerator,accelerator_count,accelerator_memory_mib\n"
        b"2024-06-03,ab12,us-east-1,p5.48xlarge,98.320000,h100,8,81920\n",
        b"\x04Cloud,GPU Type,GPUs,vCPUs,On-demand,Per-GPU,Spot,Name\nAWS,V100 (16 GB),4,32,12.24,3.06,3.67,p3.8xlarge\n",
        b'\x05[{"id": "a-h100", "provider_id": "a", "gpu_model": "NVIDIA H100 SXM5", "vram_gb": 80, "tier": '
        b'"spot", "price_usd_hour": 1.2, "collected_at": "2026-05-24"}]',
        b'\x06{"cheapest": {"runpod": {"H100 80GB SXM": 2.69}}, "collected_at": "2026-07-23T22:12:57+00:00"}\n',
    ),
    "telemetry": (
        b"\x00timestamp, index, power.draw [W], temperature.gpu\n"
        b"2025/06/13 00:27:52.195, 0, 70.5 W, 30\n2025/06/13 00:27:53.195, 0, 71 W, 31\n",
        b"\x01        Date        , GPU Core Clock [MHz] , GPU Temperature [\xb0C] ,\r\n2017-01-01 "
        b"10:00:00 , 1000.0 , 40.0 ,\r\n\x00\x00",
    ),
    "timm": (
        b"\x00model,train_samples_per_sec,train_step_time,train_batch_size,train_img_size,param_count\nresnet50,500.0,512.0,256,224,25.56\n",
        b"\x02model,infer_samples_per_sec,infer_step_time,infer_batch_size,infer_img_size\nresnet50,500.0,2.0,256,224\n",
        b"\x01model,img_size,top1,top5,param_count\nresnet50,224,80.1,95.0,25.56\n",
    ),
}
"""Small inputs that are in order, or nearly."""


def lay(format_: str, data: bytes, folder: Path) -> None:
    """Write an input as the files of a layout."""
    layouts = FILES[format_]
    names = layouts[data[0] % len(layouts)] if data else layouts[0]
    # an input may lack the later files
    for name, content in zip(names, data[1:].split(SEPARATOR), strict=False):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def attempt(format_: str, data: bytes, folder: Path) -> list[Imported]:
    """Import what an input makes, as the command does; nothing where it is refused. Any other
    error escapes.
    """
    lay(format_, data, folder)
    found: list[Imported | SourceError] = []
    try:
        parts = FORMATS[format_].parts(folder, OPTIONS.get(format_, {}))
        found.extend(read_part(format_, part) for part in parts)
    except TouchstoneError as error:
        found.append(SourceError(str(error)))
    for each in found:
        assert isinstance(each, Imported) or str(each).strip(), "a refusal without a word"
    return [each for each in found if isinstance(each, Imported)]
