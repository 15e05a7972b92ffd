"""Drawing the charts of a build."""

from site_src import charts, questions
from site_src.charts import runtime
from site_src.charts.drawn import DrawnFigure, Options
from site_src.cli.inputs import Inputs
from site_src.model import BuildOptions


def draw(
    inputs: Inputs, options: BuildOptions, jobs: int, only: str = ""
) -> tuple[dict[str, DrawnFigure], runtime.Runtime]:
    """Draw every chart in every language, or one of them; what has been drawn before comes from the
    cache.
    """
    client = runtime.build(options.runtime, options.cache)
    found = [figure for figure in questions.figures(inputs.evidence) if only in {"", figure.id}]
    told = Options(
        options.cache,
        options.date,
        options.base_url,
        report_link=options.issues,
        jobs=jobs,
        draft=options.draft,
    )
    return charts.draw(found, inputs.locales, client, told, inputs.evidence.archive.sources), client
