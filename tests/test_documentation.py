"""What the documents say can be done: commands parse, targets and files are there, every workload
is described in every language.
"""

import argparse
import re
import shlex
from pathlib import Path

import pytest

from kernels import __main__ as harness
from kernels.cli.run import options
from kernels.workloads import WORKLOADS
from tests.makers import catalogue

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LANGUAGES = ("en", "ru", "ja", "es")


def commands() -> list[list[str]]:
    """Words of every line in a shell block of the README, comments left out."""
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.strip()]
    return [words for line in lines if (words := shlex.split(line, comments=True))]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_each_command_of_the_readme_can_be_given(words: list[str]) -> None:
    """A make target exists; a command of the harness knows each of its arguments."""
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        return
    assert words[:3] == [".venv/bin/python", "-m", "kernels"]
    given = words[3 : words.index(">") if ">" in words else None]
    if given[-1] == "--help":
        with pytest.raises(SystemExit, match=r"^0$"):
            harness.main(given)
    else:
        assert harness._parser(given).parse_args(given).name == given[0]


def test_each_file_that_the_readme_names_is_there() -> None:
    """Links to the repository's own files lead somewhere."""
    linked = [path for path in re.findall(r"\]\(([^)]+)\)", README) if not path.startswith("http")]

    assert linked
    assert [path for path in linked if not (ROOT / path).exists()] == []


def test_each_workload_that_can_be_run_is_in_the_catalogue() -> None:
    """Its facts can be read without a framework, and the catalogue calls it runnable; nothing else
    does.
    """
    runnable = {name for name, workload in catalogue().workloads.items() if workload.runnable}

    assert {name for plan in WORKLOADS.values() for name in plan.workloads()} == runnable


def test_the_command_of_a_workload_trains_it() -> None:
    """To its target: the catalogue's words for `kernels run` are a plan's, at the width and with the
    data of that workload.
    """
    parser = argparse.ArgumentParser()
    options(parser)
    known = catalogue().workloads
    commands = {id_: one.command.split() for id_, one in known.items() if one.command}

    for id_, words in commands.items():
        given = parser.parse_args(words)
        plan = WORKLOADS[given.workload]
        assert plan.at(given.width).workload == id_ and plan.target is not None
        assert bool(given.data_dir) == bool(plan.folder)
        assert given.data in plan.converges or plan.data[0] in plan.converges
    trained = {plan.workload for plan in WORKLOADS.values() if plan.target}
    assert trained <= commands.keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_workload_is_described(language: str) -> None:
    """Every workload of the catalogue has its text in every language."""
    written = {
        path.stem for path in (ROOT / "site_src" / "content" / language / "workloads").glob("*.md")
    }

    assert written == set(catalogue().workloads)
