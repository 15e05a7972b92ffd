"""Drawing the charts of a build: those that rest on something that has changed, all at once."""

from collections.abc import Mapping, Sequence

from kernels.reading import noting
from site_src import charts, questions
from site_src.charts import panel, runtime
from site_src.charts.drawn import DrawnFigure, Options
from site_src.charts.parts import Gallery, Info
from site_src.cli.inputs import Inputs
from site_src.figures.base import Figure
from site_src.model import BuildOptions


class Drawing:
    """The charts of a build.

    A question's figures, and a chart drawn in all languages, are nodes whose values cannot be kept;
    what pages and files take of them can.
    """

    def __init__(self, inputs: Inputs, options: BuildOptions, jobs: int) -> None:
        self.evidence, self.locales = inputs.evidence, inputs.locales
        self.graph = inputs.evidence.graph
        self.client = runtime.build(options.runtime, options.cache)
        self.options = Options(
            options.cache,
            options.built,
            options.base_url,
            report_link=options.issues,
            jobs=jobs,
            draft=options.draft,
        )
        self._asks: Mapping[str, questions.Ask] = questions.asks(self.evidence)
        self.graph.register("figures", self._figures, alive=True)
        self.graph.register("charted", self._charted, keep=True)
        self.graph.register("drawn", self._drawn, alive=True)
        self._of: dict[str, str] = {}
        infos: dict[str, Info] = {}
        for ask in self._asks:
            for info in self.graph.get("charted", ask):
                infos[info.id], self._of[info.id] = info, ask
        self.gallery = Gallery(
            self.graph,
            infos,
            lambda id_: self.graph.get("drawn", id_),
            self.locales,
            self.options,
            self._client,
        )

    def _figures(self, ask: str) -> list[Figure]:
        return questions.answers(self._asks[ask], self.evidence)

    def _charted(self, ask: str) -> tuple[Info, ...]:
        return tuple(Info.of(figure) for figure in self.graph.get("figures", ask))

    def _client(self) -> dict[str, str]:
        return charts.paths(self.client) | panel.paths(self.locales)

    def _sketched(self, id_: str) -> charts.Sketch:
        figures: Sequence[Figure] = self.graph.get("figures", self._of[id_])
        figure = next(figure for figure in figures if figure.id == id_)
        return charts.sketch(figure, self.locales, self.options)

    def _painted(self, sketches: Sequence[charts.Sketch]) -> list[DrawnFigure]:
        client = self.graph.get("client")
        return charts.paint(sketches, client, self.options, self.evidence.archive.sources)

    def _drawn(self, id_: str) -> DrawnFigure:
        return self._painted([self._sketched(id_)])[0]

    def draw(self, ids: Sequence[str]) -> None:
        """Draw these charts, their pictures in several processes at once."""
        sketches, reads = [], []
        for id_ in ids:
            with noting() as read:
                sketches.append(self._sketched(id_))
            reads.append(read)
        with noting() as common:
            drawn = self._painted(sketches)
        for id_, one, read in zip(ids, drawn, reads, strict=True):
            self.graph.put(("drawn", id_), one, read | common)

    def due(self) -> list[str]:
        """Charts that rest on something that has changed."""
        return [id_ for id_ in self.gallery if not self.graph.holds(("drawn", id_))]
