"""Colours and shapes: readable on both backgrounds, fixed, and told apart without colour."""

from kernels.analysis.repetitions import OWN
from site_src.figures import theme
from tests.site_src import recorded


def contrast(colour: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21, by WCAG 2.2's relative luminance."""

    def luminance(value: str) -> float:
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in (part / 255 for part in theme._channels(value))
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(colour), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_colour_can_be_seen() -> None:
    """Each colour has a contrast of 3:1 with its background, words 4.5:1."""
    looks = [
        *theme.SYSTEMS.values(),
        *theme._REST,
        *(theme.look(system, "MXNet") for system in theme.SYSTEMS),
    ]
    looks += [
        theme.look(system, framework, name)
        for system in theme.SYSTEMS
        for framework in (None, "MXNet")
        for name in theme.ROUNDS
    ]

    for one in looks:
        assert contrast(one.light, theme.BACKGROUND["light"]) >= 3, one
        assert contrast(one.dark, theme.BACKGROUND["dark"]) >= 3, one
    for name in theme.THEMES:
        assert contrast(theme.INK[name], theme.BACKGROUND[name]) >= 4.5
        assert contrast(theme.QUIET[name], theme.BACKGROUND[name]) >= 4.5


def test_contrast_is_that_of_wcag() -> None:
    """Black on white is 21:1, a colour on itself 1:1."""
    assert round(contrast("#000000", "#ffffff"), 3) == 21
    assert contrast("#0072b2", "#0072b2") == 1


def test_a_system_keeps_its_colour() -> None:
    """An unlisted one's depends on its name; a second framework keeps the shape."""
    assert theme.look("some-machine") == theme.look("some-machine")
    first, second = (
        theme.look("aws-p3.8xlarge", "TensorFlow"),
        theme.look("aws-p3.8xlarge", "MXNet"),
    )

    assert first == theme.look("aws-p3.8xlarge")
    assert second.shape == first.shape
    assert second.light != first.light
    assert second.dash != first.dash


def test_systems_of_a_chart_differ() -> None:
    """Seven of no chosen look have seven shapes and colours, as many again other pairs of them; one
    that is alone, and chosen ones, look as everywhere.
    """
    names = [f"machine-{n}" for n in range(14)]
    looks = theme.of_chart([*names, "nvidia-dgx-1"])
    first = [theme.of_chart(names)[name] for name in names[:7]]

    assert looks["nvidia-dgx-1"] == theme.look("nvidia-dgx-1")
    assert theme.of_chart(names[:1])[names[0]] == theme.look(names[0])
    assert len({one.shape for one in first}) == len({one.light for one in first}) == 7
    assert len({(one.shape, one.light) for one in looks.values()}) == len(looks)
    assert theme.look(names[0], "MXNet", None, looks).shape == looks[names[0]].shape


def test_rounds_of_a_system_differ() -> None:
    """Four in a row and none have one shape and five outlines."""
    for framework in ("TensorFlow", "MXNet"):
        rounds = [theme.look("nvidia-dgx-1", framework, name) for name in (None, *theme.ROUNDS[:4])]

        assert len({one.dash for one in rounds}) == len({one.light for one in rounds[1:]}) + 1 == 5
        assert len({one.shape for one in rounds}) == 1
    assert theme.look("nvidia-dgx-1", None, "v9.9") == theme.look("nvidia-dgx-1", None, "v9.9")


def test_rounds_of_a_chart_differ() -> None:
    """Two that would be alike are told apart where they stand beside each other; one without such
    a neighbour has the look that it has everywhere.
    """
    alone, turns = theme.look("nvidia-dgx-1", None, "v2.1"), theme.turns(["v2.1", "v0.7", "v2.0"])
    shown = [theme.look("nvidia-dgx-1", None, name, turns=turns) for name in turns]

    assert theme.look("nvidia-dgx-1", None, "v0.7") == alone == shown[0]
    assert (shown[1], [*turns]) == (
        theme.look("nvidia-dgx-1", None, "v2.0"),
        ["v0.7", "v2.0", "v2.1"],
    )
    assert len({(one.light, one.dash) for one in shown}) == 3


def test_series_differ_without_colour() -> None:
    """In no figure do two series share both shape and outline."""
    for figure in recorded.drawn().values():
        marks = [(series.look.shape, series.look.dash) for series in figure.series]
        assert len(marks) == len(set(marks)), figure.id


def test_a_tint_is_neither_its_colour_nor_the_paper() -> None:
    """Half-way between them, light and dark; a dark picture has the dark one in its place."""
    look = theme.Look("#0072b2", "#56b4e9", "circle")

    assert (look.tint("light"), look.tint("dark")) == ("#80b8d8", "#3a6a89")
    assert theme.dark_colours([look])["#80b8d8"] == "#3a6a89"
    assert [theme.filling(origins) for origins in (["measured", "published"], ["submitted"], ["imported"], [])] == [
        "both", "filled", "hollow", "hollow",
    ]  # fmt: skip


def test_no_published_series_looks_measured() -> None:
    """Without a row of ours it is hollow in each chart."""
    for figure in recorded.drawn().values():
        drawn = figure.rows(recorded.english(), {})
        for series in figure.series:
            ours = any(row["origin"] in OWN for row in figure.plain if row["series"] == series.id)
            assert ours or figure.filling(series) == figure.filling(series, drawn) == "hollow", (
                figure.id,
                series.id,
            )


def test_dark_is_light_with_other_colours() -> None:
    """Turning a light chart's colours gives the chart that is drawn dark."""
    figure = recorded.drawn()["tpuv2-v100-target"]
    light, dark = (
        figure.chart(recorded.english(), name).to_dict(validate=False) for name in theme.THEMES
    )

    assert theme.darken(light, [series.look for series in figure.series]) == dark
