"""The page on single cards: images per second of well-known networks, by mode."""

from kernels.records import Mode
from site_src.model import Page
from site_src.pages.components.writer import Writer
from site_src.questions.speed.by_card import PAGE, SUBJECT


def throughput_page(writer: Writer) -> Page:
    """The page in one language; a chart for each mode that has figures."""
    blocks = {
        mode.value: [writer.chart(id_)]
        for mode in Mode
        if (id_ := f"{SUBJECT}-{mode}") in writer.site.figures
    }
    return writer.prose_page(PAGE.strip("/"), writer.text(f"{SUBJECT}.md"), blocks)
