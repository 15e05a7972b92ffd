"""A diagram in numbered steps: an ordered list whose items have a drawing each, so that it reads
aloud as it is drawn.
"""

from typing import Final

from markupsafe import Markup

from site_src.pages.components.writer import PageError, Writer
from site_src.reports import Report

STEPS: Final = ("split", "gradients", "gather", "step", "broadcast")
"""What each step of training on several accelerators draws; `templates/blocks/scheme.html` has the
drawings.
"""


def scheme(writer: Writer, report: Report, subject: str) -> Markup:
    """The diagram of training on several accelerators, with the words `scheme.<subject>.title` and
    `scheme.<subject>.<number>`.

    Raises:
        PageError: A step has no words.
    """
    keys = [f"scheme.{subject}.{name}" for name in ("title", *range(1, len(STEPS) + 1))]
    if lost := [key for key in keys if not writer.locale.has(key)]:
        raise PageError(
            f"{report.path}: a section shows scheme {subject!r}, and {writer.locale.path} has no "
            f"{lost[0]!r}"
        )
    title, *texts = (writer.t(key) for key in keys)
    return writer.render(
        "blocks/scheme.html", id=subject, title=title, steps=list(zip(STEPS, texts, strict=True))
    )
