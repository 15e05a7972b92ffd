"""What a retired chart's addresses answer: its last version with a notice, in every language, made
from what was kept of it.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from site_src.addresses.retired import Retired, Said
from site_src.charts import downloads, markup
from site_src.charts import embed as share_embed
from site_src.charts import pictures as share_pictures
from site_src.charts.drawn import Options, Pictured
from site_src.charts.markup import escape
from site_src.charts.pictures import Order
from site_src.locales import Locale, kept, unbroken
from site_src.minify import lean
from site_src.model import Asset

_SCRIPT: Final = Path(__file__).parents[1] / "assets" / "frame.js"
_TITLE: Final = re.compile(
    r'<title id="title">(.*?)</title><desc id="desc">(.*?)</desc>', re.DOTALL
)
_HEAD: Final = re.compile(r"<svg[^>]*>")

Still = Pictured[Retired]
"""A retired chart with its pictures."""


def draw(
    found: Sequence[Retired], locales: Sequence[Locale], client: Mapping[str, str], options: Options
) -> dict[str, Still]:
    """Frame the pictures of every retired chart in every language; by chart id.

    Raises:
        GlyphError: A notice has a letter that no font at hand has.
    """
    orders = {
        (one.id, locale.code, preset): _order(one, locale, preset, options.site_name)
        for one in found
        for locale in locales
        for preset in ("", *one.states)
    }
    made = share_pictures.draw(
        list(orders.values()), options.cache, options.jobs, painted=not options.draft
    )
    pictures = dict(zip(orders, made, strict=True))
    return {
        one.id: Still(
            one,
            tuple(locales),
            {locale.code: pictures[one.id, locale.code, ""] for locale in locales},
            client,
            options,
            {
                locale.code: {name: pictures[one.id, locale.code, name] for name in one.states}
                for locale in locales
            },
        )
        for one in found
    }


def _order(one: Retired, locale: Locale, preset: str, site: str) -> Order:
    code = one.words(locale).language
    stem = f"{code}-{preset}" if preset else code
    wide = one.files[f"{stem}.svg"].decode()
    told = one.words(locale).presets.get(preset)
    return Order(
        {"wide": bare(wide)}
        | ({} if preset else {"phone": bare(one.files[f"{code}-phone.svg"].decode())}),
        one.dark,
        locale if code == locale.code else replace(locale, code=code, direction="ltr"),
        told["caption"] if told else one.caption(locale),
        told["headline"] if told else one.headline(locale),
        tuple(one.remarks(locale)),
        markup.credit(one, locale, site),
        f"{one.id}{f'/{preset}' if preset else ''} ({locale.code})",
        locale.say("retired.card", day=one.day, site=site),
    )


def bare(picture: str) -> str:
    """The chart alone: a picture without title and description, and without the frame that
    `charts.pictures.frame` put around it.
    """
    start = picture.find('<svg x="')
    if start >= 0:  # within the frame, which has words below it, and ends itself
        inner = picture[start : picture.rindex("</svg>", 0, picture.rindex("</svg>"))]
        width, height = _own_size(inner)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
            f"{_HEAD.sub('', inner, count=1)}</svg>"
        )
    head = _HEAD.match(picture)
    return (head[0] if head else "") + _TITLE.sub("", picture[head.end() if head else 0 :], count=1)


def _own_size(nested: str) -> tuple[str, str]:
    found = re.search(r'viewBox="0 0 (\S+) (\S+)"', nested)
    if found is None:
        raise ValueError(f"no viewBox in {nested[:120]!r}")
    return found[1], found[2]


def notice(one: Retired, locale: Locale) -> str:
    """The notice as HTML; the reason stands in the language it was written in."""
    held = "\ue000"  # a private-use letter keeps the place while the words are escaped
    why = escape(one.why)
    said = (
        why
        if one.why_language == locale.code
        else f'<span lang="{escape(one.why_language)}">{why}</span>'
    )
    return escape(locale.say("retired.notice", day=one.day, reason=held)).replace(held, said)


def marked(one: Retired, locale: Locale) -> str:
    """The attribute for what stands in the reference language, on a page in one that came later;
    empty where nothing does.
    """
    language = one.words(locale).language
    return "" if language == locale.code else f' lang="{language}" dir="ltr"'


def figure(still: Still, locale: Locale, heading: str) -> str:
    """The picture as it stands elsewhere: title, notice, picture, remarks, one line of credit with
    the link.
    """
    one, lang, site = still.figure, marked(still.figure, locale), still.options.site_name
    named = escape(locale.say("share.from", title=one.heading(locale), site=site))
    notes = "".join(f"<li>{kept(unbroken(escape(note)))}</li>" for note in one.words(locale).notes)
    return (
        f'<figure class="ts-figure" id="{one.id}" data-short="{one.short}"><{heading}{lang}>'
        f"{escape(one.heading(locale))}</{heading}>"
        f'<p class="ts-notice" role="note">{notice(one, locale)}</p>'
        f"<div{lang}>{markup.pictures(one, locale, still.pictures[locale.code], '')}</div>"
        f'<figcaption><ul class="ts-notes"{lang}>{notes}</ul>'
        f'<a class="ts-home" href="{share_embed.home(still, locale)}" target="_blank" '
        f'rel="noopener" aria-label="{named}">'
        f"{escape(markup.credit(one, locale, site))}</a></figcaption></figure>"
    )


def embed(still: Still) -> bytes:
    """`embed.html`: picture and notice, with nothing to load but a few lines that choose language
    and theme.

    Without JavaScript it shows the first language, with links to the chart's pages in all
    languages; the theme is the device's then.
    """
    first = still.locales[0]
    templates = "".join(
        share_embed.template(still, locale, figure(still, locale, "h1")) for locale in still.locales
    )
    body = (
        f"<main>{figure(still, first, 'h1')}</main><noscript>"
        f"{share_embed.languages(still)}</noscript>{templates}"
    )
    return share_embed.frame(still, f'src="{share_embed.ROOT}{_script()[0]}"', body)


def data(still: Still, locale: Locale) -> bytes:
    """`data.<lang>.js`: what the element shows in place of the chart."""
    told = {
        "id": still.id,
        "lang": locale.code,
        "dir": locale.direction,
        "html": figure(still, locale, "h3"),
    }
    return f"{share_embed.DATA}{share_embed.ascii_json(told)};\n".encode()


def _script() -> tuple[str, bytes]:
    content = lean(_SCRIPT.name, _SCRIPT.read_bytes())
    return f"assets/touchstone-still.{hashlib.sha256(content).hexdigest()[:10]}.js", content


def meta(one: Retired, locales: Sequence[Locale], options: Options) -> bytes:
    """`meta.json`: as of any chart, with when and why it was retired; no state can be asked for,
    and its page may be gone.
    """
    said = {locale.code: one.words(locale) for locale in locales}
    columns = [
        {
            "name": name,
            "unit": unit,
            "meaning": {code: words.meanings[name] for code, words in said.items()},
        }
        for name, unit in one.units.items()
    ]
    presets = {
        id_: {
            "state": state,
            **{
                what: {code: own.presets[id_][what] for code, own in said.items()}
                for what in ("label", "caption", "headline")
            },
            **downloads.preset_addresses(one.id, id_, locales, options.base_url),
        }
        for id_, state in one.states.items()
    }
    known = downloads.known(one, locales, options.base_url, summed_up=one.summed)
    del known["report"]
    return downloads.as_json(
        known
        | {"presets": presets}
        | downloads.holdings(one, locales, columns, _table(one, said), options.date)
        | {"retired": {"day": one.day.isoformat(), "why": one.why}}
    )


def _table(one: Retired, said: Mapping[str, Said]) -> dict[str, Any]:
    """What is in the table that summed it up; nothing where it had none."""
    columns = one.summary["table_columns"]
    told = columns and [
        {
            **column,
            "meaning": {code: column["meaning"][words.language] for code, words in said.items()},
        }
        for column in columns
    ]
    return {**one.summary, "table_columns": told}


def kept_files(one: Retired, locales: Sequence[Locale], options: Options) -> Iterator[Asset]:
    """Its files that are no pictures and load nothing; `verify` holds the site against them."""
    folder, base = f"c/{one.id}/", options.base_url
    for name in ("data.csv", "data.parquet"):
        table = name.replace("data", "table")
        yield Asset(f"{folder}{name}", one.files[name])
        yield Asset(f"{folder}{table}", one.files[table if one.summed else name])
    yield Asset(f"{folder}meta.json", meta(one, locales, options))
    cited = downloads.bibtex(
        one, locales[0], one.origins_of, site=options.site_name, base=base, day=one.day
    )
    yield Asset(f"{folder}cite.bib", cited)
    for locale in locales:
        yield Asset(
            f"{folder}spec.{locale.code}.json", one.files[f"spec.{one.words(locale).language}.json"]
        )


def assets(stills: Mapping[str, Still]) -> Iterator[Asset]:
    """Every file of every retired chart, and the script that their frames share."""
    if stills:
        yield Asset(*_script())
    for still in stills.values():
        yield Asset(f"{still.folder}embed.html", embed(still))
        yield from kept_files(still.figure, still.locales, still.options)
        for locale in still.locales:
            code = locale.code
            yield Asset(f"{still.folder}data.{code}.js", data(still, locale))
            answer = downloads.oembed(
                still.figure,
                locale,
                still.pictures[code]["page"],
                still.options.site_name,
                still.options.base_url,
            )
            yield Asset(f"{still.folder}oembed.{code}.json", answer)
            yield from still.files(code)
