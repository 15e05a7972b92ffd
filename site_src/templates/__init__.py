"""Fills the templates of this folder. Macros are functions: `html.link(href, text)` is that of
`_elements.html`, `charts.legend(...)` that of `_charts.html`.
"""

import hashlib
import html as characters
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import jinja2
import jinja2.ext
import jinja2.meta
from markupsafe import Markup

from kernels.errors import TouchstoneError
from kernels.reading import note
from site_src.templates.slots import slot

__all__ = [
    "TemplateError",
    "charts",
    "digest",
    "fill",
    "fill_document",
    "fill_text",
    "html",
    "lists",
    "shell",
    "versus",
]

TEMPLATES: Final = Path(__file__).parent

_BLANK: Final = re.compile(r"(<(code|pre)\b.*?</\2>)|\n\s*\n", re.DOTALL)
"""Blank lines left by templates; those in code must stay."""


class TemplateError(TouchstoneError):
    """A template or a text that cannot be filled; names template and line."""


class Macros:
    """The macros of a template as functions."""

    def __init__(self, template: str, *, charts: bool = False) -> None:
        self._template, self._charts = template, charts

    def __getattr__(self, name: str) -> Callable[..., Markup]:
        environment = _quoting_environment(one_line=True) if self._charts else _environment()
        macro: Callable[..., Markup] = getattr(
            environment.get_template(self._template).module, name
        )

        def called(*given: object, **named: object) -> Markup:
            note("template", self._template)
            return macro(*given, **named)

        setattr(self, name, called)
        return called


html: Final = Macros("_elements.html")
charts: Final = Macros("_charts.html", charts=True)
shell: Final = Macros("_shell.html", charts=True)
lists: Final = Macros("_lists.html", charts=True)
versus: Final = Macros("_versus.html")


@cache
def _environment(*, prose_syntax: bool = False) -> jinja2.Environment:
    """The environment of templates; in prose `{#id}` is a heading's id, so comments have another
    syntax.
    """
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        comment_start_string="<#--" if prose_syntax else "{#",
        comment_end_string="--#>" if prose_syntax else "#}",
    )


def fill_document(template: str, values: Mapping[str, object]) -> str:
    """Fill a whole document; its slots remain."""
    note("template", template)
    return f"{_quoting_environment().get_template(template).render(values)}\n"


class _OneLine(jinja2.ext.Extension):
    """Removes line breaks and indents of templates, which only their readers need."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002 - as jinja2 calls it
        """Puts each break into a comment, so that errors still name the line."""
        parts = _TAG.split(source)
        parts[::2] = (re.sub(r"\n[ \t]*", "{#\n#}", text) for text in parts[::2])
        return "".join(parts)


_TAG: Final = re.compile(r"(\{[%{#].*?[%}#]\})", re.DOTALL)


@cache
def _quoting_environment(*, one_line: bool = False) -> jinja2.Environment:
    """The environment of templates of charts, shells and lists: quotes in text are written as in
    `html.escape`. Macros that Python calls are written in one line.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        extensions=[_OneLine] if one_line else [],
        trim_blocks=not one_line,
        finalize=_escaped,
    )
    environment.filters["slot"] = slot
    return environment


def _escaped(value: object) -> object:
    return value if hasattr(value, "__html__") else Markup(characters.escape(str(value)))  # noqa: S704 - escaped here


@cache
def _compiled(text: str) -> jinja2.Template:
    return _environment(prose_syntax=True).from_string(text)


def fill(template: str, values: Mapping[str, object]) -> Markup:
    """Fill a template of this folder.

    Raises:
        TemplateError: It cannot be parsed, or uses a value that is not given.
    """
    note("template", template)
    try:
        made = _environment().get_template(template).render(values)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(f"templates/{error.name}:{error.lineno}: {error.message}") from None
    except jinja2.TemplateError as error:
        raise TemplateError(f"templates/{_line_of(error, template)}: {error}") from error
    return Markup(_BLANK.sub(lambda found: found[1] or "\n", made).strip())  # noqa: S704 - templates escape


def digest(template: str) -> str:
    """A hash of a template and of all that it includes."""
    found, open_ = {}, [template]
    while open_:
        name = open_.pop()
        if name not in found:
            found[name] = (TEMPLATES / name).read_text(encoding="utf-8")
            tree = _environment().parse(found[name])
            open_ += filter(None, jinja2.meta.find_referenced_templates(tree))
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()


def fill_text(text: str, values: Mapping[str, object]) -> str:
    """Fill the calls in prose, before Markdown is converted.

    Raises:
        TemplateError: It cannot be parsed, or uses a value that is not given.
    """
    try:
        return _compiled(text).render(values)
    except jinja2.TemplateError as error:
        raise TemplateError(f"{error}, in the text that begins {text[:60]!r}") from error


def _line_of(error: BaseException, template: str) -> str:
    place, trace = template, error.__traceback__
    while trace is not None:
        name = Path(trace.tb_frame.f_code.co_filename)
        if name.is_relative_to(TEMPLATES) and name.suffix == ".html":
            place = f"{name.relative_to(TEMPLATES)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
