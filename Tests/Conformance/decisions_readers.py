"""Who reads what: the language and script of a reader, and which text of several they may get.

Written by hand from docs and from what is known of languages, without ICU, so that a fault in that
or in its use cannot hide itself. Of equally readable regions any is right, but for the few pairs in
`NEARER` which are promised.
"""

import functools
import re

TAG_BYTES = 64
SUBTAG = re.compile(r"[A-Za-z0-9]+")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}")

# Codes whose readers are served by another code.
SERVED_BY = {
    "nb": "no", "nn": "no", "iw": "he", "in": "id", "tl": "fil", "mo": "ro", "cmn": "zh",
    "yue": "zh",
}
# Those whose readers a rule means when it names the other code. Written Cantonese is read as
# Chinese, but nobody who says Chinese means Cantonese.
NAMED_BY = {code: other for code, other in SERVED_BY.items() if code != "yue"}

SCRIPTS = {
    "zh": "Hans", "ja": "Jpan", "ko": "Kore", "ru": "Cyrl", "uk": "Cyrl", "sr": "Cyrl",
    "ar": "Arab", "ur": "Arab", "he": "Hebr", "hi": "Deva", "th": "Thai", "el": "Grek",
    "pa": "Guru",
}
SCRIPTS_BY_REGION = {
    ("zh", "TW"): "Hant", ("zh", "HK"): "Hant", ("zh", "MO"): "Hant", ("pa", "PK"): "Arab",
}

# Of two texts in one language, the promised one comes first.
LATIN_AMERICA = {"419", "AR", "BO", "CL", "CO", "PE", "US", "UY"}
NEARER = [
    ("es", LATIN_AMERICA, "es-MX", "es-ES"),
    ("pt", {"AO", "MZ", "CV", "CH", "MO"}, "pt-PT", "pt-BR"),
    ("fr", {"CH", "BE"}, "fr-FR", "fr-CA"),
    ("en", {"IN"}, "en-GB", "en-US"),
]


def subtags(text):
    """The parts of a language tag; None for what is none."""
    if len(text.encode()) > TAG_BYTES:
        return None
    parts = text.replace("_", "-").split("-")
    if not all(SUBTAG.fullmatch(part) for part in parts) or not LANGUAGE.fullmatch(parts[0]):
        return None
    return parts


@functools.lru_cache(maxsize=4096)
def reader(text):
    """(language, script, region) in which somebody of this locale reads; None where nobody knows.

    A region that is not said is the empty text.
    """
    parts = subtags(text)
    if parts is None or parts[0].lower() in {"und", "mul", "zxx", "root"}:
        return None
    language, rest = parts[0].lower(), parts[1:]
    if rest and len(rest[0]) == 3 and rest[0].isalpha():
        language = rest.pop(0).lower()
    script = region = ""
    if rest and len(rest[0]) == 4 and rest[0].isalpha():
        script = rest.pop(0).title()
    if rest and re.fullmatch(r"[A-Za-z]{2}|[0-9]{3}", rest[0]):
        region = rest.pop(0).upper()
    if not script and language == "yue":
        script = "Hans" if region == "CN" else "Hant"
    language = SERVED_BY.get(language, language)
    script = script or SCRIPTS_BY_REGION.get((language, region)) or SCRIPTS.get(language, "Latn")
    return language, script, region


def language_codes(text):
    """Every code by which a rule may name the reader's language."""
    parts = subtags(text)
    if parts is None:
        return []
    code = parts[0].lower()
    return [code, NAMED_BY[code]] if code in NAMED_BY else [code]


def spellings(text):
    """The locale as it came and as Apple writes it: `pt_br` is also `pt-BR`."""
    parts = subtags(text)
    if parts is None:
        return []
    written = [parts[0].lower()]
    for part in parts[1:]:
        written.append({4: part.title(), 2: part.upper(), 3: part.upper()}.get(len(part), part))
    return sorted({text, "-".join(written)})


def folded(text):
    return text.replace("_", "-").lower()


def may_get(texts, asked, default_locale):
    """Which locales of `texts` are right for a reader, and by which rule: `exact`, `near`,
    `default`, or `none` with no locale at all."""
    who = reader(asked)
    if who is not None:
        exact = [locale for locale in texts if folded(locale) == folded(asked)]
        if exact:
            return exact, "exact"
        near = [locale for locale in texts if (reader(locale) or ())[:2] == who[:2]]
        for language, regions, first, second in NEARER:
            if who[0] == language and who[2] in regions and first in near and second in near:
                near.remove(second)
        if near:
            return near, "near"
    return ([default_locale], "default") if default_locale in texts else ([], "none")
