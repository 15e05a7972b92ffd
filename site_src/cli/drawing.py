"""The charts of a build: each is drawn if one of its inputs has changed."""

from collections.abc import Mapping, Sequence
from itertools import chain

from kernels.reading import Name, noting
from site_src import charts, questions
from site_src.charts import panel, runtime, vega
from site_src.charts.drawn import DrawnFigure, Options
from site_src.charts.parts import Gallery, Info
from site_src.cli.inputs import Inputs
from site_src.figures import fonts
from site_src.figures.base import Figure
from site_src.figures.written import FigureError
from site_src.model import BuildOptions


class Drawing:
    """The charts of a build.

    A question's figures, and a chart drawn in all languages, are nodes whose values cannot be kept;
    the parts that pages and files use can.
    """

    def __init__(self, inputs: Inputs, options: BuildOptions) -> None:
        self.evidence, self.locales = inputs.evidence, inputs.locales
        self.graph = inputs.evidence.graph
        self.client = runtime.build(options.runtime, options.cache)
        self.options = Options(
            options.cache,
            options.built,
            options.base_url,
            report_link=options.issues,
            draft=options.draft,
        )
        self._asks: Mapping[str, questions.Ask] = questions.asks(self.evidence)
        self.graph.register("figures", self._figures, alive=True)
        self.graph.register("charted", self._charted, keep=True)
        self.graph.register("drawn", self._drawn, alive=True, long=True)
        self._of: dict[str, str] = {}
        infos: dict[str, Info] = {}
        for ask in self._asks:
            for info in self.graph.get("charted", ask):
                if info.id in infos:
                    raise FigureError(f"two charts have the id {info.id}; give one another")
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

    def _drawn(self, id_: str) -> DrawnFigure:
        figures: Sequence[Figure] = self.graph.get("figures", self._of[id_])
        figure = next(figure for figure in figures if figure.id == id_)
        client, sources = self.graph.get("client"), self.evidence.archive.sources
        return charts.drawn(figure, self.locales, client, self.options, sources)

    def due(self) -> list[list[Name]]:
        """The nodes of each chart's files and what is made with them. Until a chart has been drawn
        in this process, several processes may draw.
        """
        found = [[("files", f"chart {id_}"), *self.gallery.with_files(id_)] for id_ in self.gallery]
        if not all(map(self.graph.holds, chain.from_iterable(found))):
            vega.cut_down(fonts.few(self._letters, self.options.cache))
        return found

    @property
    def _letters(self) -> set[str]:
        """The letters of all words and of the names of sources; a chart with others has fonts of
        its own.
        """
        with noting():  # no chart depends on all of them
            words = [text for one in self.locales for text in dict(one.strings).values()]
            formats = [one.d3() for one in self.locales]
            return set("".join(map(repr, [*words, *formats, *self.evidence.archive.sources])))
