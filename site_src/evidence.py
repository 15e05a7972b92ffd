"""All records behind the site, in one object that is passed as one argument.

Reading a record is noted (`kernels.reading`), so that a build knows on which of them each page
depends.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any

from kernels.analysis.gathered import Result, gather
from kernels.analysis.mlperf_scores import Outcome, Score, order, scores
from kernels.analysis.repetitions import OWN
from kernels.audit.facts import Fact, Facts, Judgement
from kernels.catalog import Catalog
from kernels.reading import Index, Kept, Named, Rows, named, where
from kernels.records import Origin, Run
from kernels.store import Archive
from site_src.graph import Graph, Inputs, Items, digest, digested_once, shared


@dataclass(frozen=True, slots=True)
class Evidence:
    """The recorded runs, the catalogue, and every figure of both by its reference.

    Attributes:
        graph: Everything made from them.
        facts: The figures; each is computed once.
        results: The results that the runs make together.
    """

    archive: Archive
    catalog: Catalog
    graph: Graph = field(default_factory=lambda: Graph({}))
    facts: Facts = field(init=False, repr=False, compare=False)
    results: "Results" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # now, before the graph compares its inputs
        object.__setattr__(self, "facts", _Facts(self.archive, self.catalog, self.graph))
        object.__setattr__(self, "results", Results(self.archive, self.graph))


digested_once(Score)  # the score of each of its runs is the same
digested_once(Run)


class Results(Items[Result]):
    """Results by id, and their pages.

    Attributes:
        kept: Cache for tables.
    """

    def __init__(self, archive: Archive, graph: Graph) -> None:
        super().__init__(graph, "result", lambda: self._gathered, many=True)
        self.archive, self.graph = archive, graph
        self.kept: Kept[object, Any] = Kept()
        shared.register(self)
        for kind, make in (
            ("scores of", self._scores_of),
            ("more scores than", lambda most: len(self.scores) > int(most)),
            ("scores like", self._like),
        ):
            graph.register(kind, make)
        graph.register("page with", self._page)
        many = partial(Items, graph, many=True)
        self._of_run: Mapping[str, str] = many("result with", lambda: self._with)
        self._counted: Mapping[str, Score] = many("score with", lambda: self._counting)
        self._first: Mapping[str, str] = many("first with", lambda: self._firsts)
        self._places: Mapping[str, tuple[int, int]] = many("place of", lambda: self._placed)

    @shared
    def _gathered(self) -> Mapping[str, Result]:
        return {one.id: one for one in gather(self.archive.runs)}

    @shared
    def _with(self) -> Mapping[str, str]:
        return {run: one.id for one in self._gathered.values() for run in one.run_ids}

    @shared
    def scores(self) -> Sequence[Score]:
        """The scores of all submissions."""
        return scores(where(self.archive.runs, origin=Origin.IMPORTED))  # only these have one

    @shared
    def _counting(self) -> Mapping[str, Score]:
        return {run: score for score in reversed(self.scores) for run in score.run_ids}

    def scores_of(
        self, *workloads: str, source: str | None = None, system: str | None = None
    ) -> list[Score]:
        """Scores of submissions by the rules of their benchmark's rounds: of a source, of a system,
        of these workloads.
        """
        found: list[Score] = self.graph.get("scores of", source or "", system or "", *workloads)
        return found

    def _scores_of(self, source: str, system: str, *workloads: str) -> list[Score]:
        return [
            one
            for one in self.scores
            if source in ("", one.source)
            and system in ("", one.system)
            and (not workloads or one.workload in workloads)
        ]

    def score_with(self, run: str) -> Score | None:
        """The score of the submission that a run is part of."""
        return self._counted.get(run)

    def first_with(self, score: Score) -> str:
        """The first run of the earliest submission of its logs, of those that have a score if there
        is one. What a later one states anew, such as a container, may not be what ran.
        """
        return self._first[score.run_ids[0]]

    def is_again(self, run_id: str) -> bool:
        """True if a run's log counts with another submission."""
        score = self.score_with(run_id)
        return score is not None and self.first_with(score) != score.run_ids[0]

    @shared
    def _firsts(self) -> Mapping[str, str]:
        runs = {run.run_id: run for run in where(self.archive.runs, origin=Origin.IMPORTED)}
        groups: dict[tuple[object, ...], list[Score]] = defaultdict(list)
        for one in self.scores:
            own = [runs[id_] for id_ in one.run_ids]
            logs = sorted((str(run.started_at), run.wall_time_s or 0.0) for run in own)
            dated = all(run.started_at for run in own)
            groups[(one.workload, *logs) if dated else one.run_ids].append(one)
        firsts: dict[str, str] = {}
        for same in groups.values():
            first = min(same, key=_earliest)
            firsts |= {one.run_ids[0]: first.run_ids[0] for one in same}
        return firsts

    def place_of(self, score: Score) -> tuple[int, int]:
        """The place of a score among those of its benchmark and division in its round, and their
        number.
        """
        return self._places[score.run_ids[0]]

    @shared
    def _placed(self) -> Mapping[str, tuple[int, int]]:
        groups: dict[tuple[str | None, ...], list[float]] = defaultdict(list)
        for one in self.scores:
            if one.verdict is Outcome.SCORED and one.score_minutes is not None:
                groups[one.workload, one.round, one.division].append(one.score_minutes)
        for minutes in groups.values():
            minutes.sort()
        return {
            one.run_ids[0]: (1 + bisect_left(among, one.score_minutes or 0.0), len(among))
            for one in self.scores
            for among in [groups.get((one.workload, one.round, one.division), [])]
        }

    def like(self, score: Score) -> list[Score]:
        """The scores of its benchmark and division in its round, fastest first."""
        kind = score.workload, score.round or "", score.division or ""
        found: list[Score] = self.graph.get("scores like", *kind)
        return found

    def _like(self, workload: str, round_: str, division: str) -> list[Score]:
        found = [
            one
            for one in self.scores
            if (one.workload, one.round or "", one.division or "") == (workload, round_, division)
            and one.verdict is Outcome.SCORED
            and one.score_minutes is not None
        ]
        return sorted(found, key=lambda one: (one.score_minutes or 0.0, one.run_ids))

    def more_scores_than(self, most: int) -> bool:
        """True if there are more submissions than that."""
        found: bool = self.graph.get("more scores than", str(most))
        return found

    def id_with(self, run_id: str) -> str:
        """Id of the result that a run belongs to."""
        return self._of_run[run_id]

    def page_with(self, run_id: str) -> str:
        """Path of a run's page: its own if measured by this harness; else its row on its result's
        page.
        """
        found: str = self.graph.get("page with", run_id)
        return found

    def _page(self, run_id: str) -> str:
        run = named(self.archive.runs, "run_id")[run_id]
        if run.origin in OWN:
            return f"runs/{run_id}/"
        result = self[self._of_run[run_id]]
        row = f"#{run_id}" if len(result.run_ids) > 1 else ""
        return f"results/{result.id}/{row}"


def _earliest(score: Score) -> tuple[object, ...]:
    """The order of submissions of the same logs; one that measured the energy comes first in its
    round.
    """
    return score.verdict is not Outcome.SCORED, order(score.round or ""), score.energy_j is None


class _Facts(Facts):
    """Figures as nodes of the graph, on which their readers depend. Figures stated by a run are not
    nodes, being as many as all others: their readers depend on the run.
    """

    def __init__(self, archive: Archive, catalog: Catalog, graph: Graph) -> None:
        super().__init__(archive, catalog)
        self._graph = graph
        graph.register("fact", self._found)
        graph.register("known", super().known)
        graph.register("judgement", super().judgement)

    def get(self, ref: str) -> Fact:
        if ref.startswith("run:"):
            return super().get(ref)
        found: Fact = self._graph.get("fact", ref)
        return found

    def known(self, ref: str) -> bool:
        found: bool = self._graph.get("known", ref)
        return found

    def judgement(self, claim_id: str) -> Judgement:
        found: Judgement = self._graph.get("judgement", claim_id)
        return found


def watched(archive: Archive, catalog: Catalog) -> tuple[Archive, Catalog]:
    """The same records, with their reading noted."""
    return replace(archive, **_doors("", archive)), replace(
        catalog, **_doors("catalogue ", catalog)
    )


def _doors(where: str, record: Archive | Catalog) -> dict[str, Any]:
    tables = {one.name: getattr(record, one.name) for one in fields(record)}
    return {
        name: Rows.of(f"{where}{name}", table)
        if isinstance(table, tuple)
        else Named(f"{where}{name}", table)
        for name, table in tables.items()
    }


def inputs(evidence: Evidence) -> Inputs:
    """Functions that find the digest of each record and each table, by the kind of its name."""
    tables = [
        *(getattr(evidence.archive, one.name) for one in fields(evidence.archive)),
        *(getattr(evidence.catalog, one.name) for one in fields(evidence.catalog)),
    ]
    found: dict[str, Callable[..., str]] = {}
    for table in tables:
        if isinstance(table, Rows):
            found[table.kind] = _of_rows(table.lookup)
        elif isinstance(table, Named):
            found[table.kind] = _of_things({str(name): it for name, it in table.items()})
    return found


def _of_things(things: Mapping[str, object]) -> Callable[..., str]:
    return lambda *name: digest(things.get(*name) if name else things)


def _of_rows(index: Index) -> Callable[..., str]:
    """Digests of the rows with some value of a field, of one row, and of a field in all rows."""
    known = {id(row): digest(row) for row in index.rows}

    def by(field: str, *names: str) -> str:
        rows = index.named(field)
        if not names:
            return digest([(name, known[id(row)]) for name, row in rows.items()])
        return known[id(rows[names[0]])] if names[0] in rows else digest(None)

    def asked(how: str = "where", *rest: str) -> str:
        if how == "by":
            return by(*rest)
        if how == "said":
            return digest([str(value) for value in index.group(*rest)])
        wanted = dict(zip(rest[::2], rest[1::2], strict=True))
        return digest([known[id(row)] for row in index.where(wanted)])

    return asked
