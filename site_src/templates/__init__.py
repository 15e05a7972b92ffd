"""Fills the templates of this folder. `html` has the macros of `_elements.html` as functions:
`html.link(href, text)`.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup

from kernels.errors import TouchstoneError

__all__ = ["TemplateError", "fill", "fill_text", "html"]

TEMPLATES: Final = Path(__file__).parent

_BLANK: Final = re.compile(r"(<(code|pre)\b.*?</\2>)|\n\s*\n", re.DOTALL)
"""Blank lines, which templates leave; those of code are its own."""


class TemplateError(TouchstoneError):
    """A template or a text that cannot be filled; names template and line."""


class _Elements:
    """The macros of `_elements.html`."""

    def __getattr__(self, name: str) -> Callable[..., Markup]:
        macro: Callable[..., Markup] = getattr(
            _environment().get_template("_elements.html").module, name
        )
        setattr(self, name, macro)
        return macro


html: Final = _Elements()


@cache
def _environment(*, prose_syntax: bool = False) -> jinja2.Environment:
    """The templates; in prose `{#id}` is a heading's id, so comments are written otherwise."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        comment_start_string="<#--" if prose_syntax else "{#",
        comment_end_string="--#>" if prose_syntax else "#}",
    )


@cache
def _compiled(text: str) -> jinja2.Template:
    return _environment(prose_syntax=True).from_string(text)


def fill(template: str, values: Mapping[str, object]) -> Markup:
    """A template of this folder, filled.

    Raises:
        TemplateError: It cannot be parsed, or asks for what it is not given.
    """
    try:
        made = _environment().get_template(template).render(values)
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(f"templates/{error.name}:{error.lineno}: {error.message}") from None
    except jinja2.TemplateError as error:
        raise TemplateError(f"templates/{_line_of(error, template)}: {error}") from error
    return Markup(_BLANK.sub(lambda found: found[1] or "\n", made).strip())  # noqa: S704 - templates escape


def fill_text(text: str, values: Mapping[str, object]) -> str:
    """Prose with its calls filled in, before it is read as Markdown.

    Raises:
        TemplateError: It cannot be parsed, or asks for what it is not given.
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
