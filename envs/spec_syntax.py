"""The text `name(key=value,...)`, looked at before OpenSpiel's parser takes it apart."""

from starspiel.envs.errors import SpecError, shown

#: How deep brackets may stand in each other; OpenSpiel's parser goes as deep as the stack does, and crashes.
MOST_NESTED = 32


def check_keys(text: str) -> None:
    """Refuses what OpenSpiel's parser would take without a word, or go down with.

    It takes the last of two equal keys and an empty key, ends the process on deep nests, and cannot read
    characters that no text in UTF-8 or in C holds. Brackets that do not match are left to it.

    Raises SpecError.
    """
    _check_characters(text)
    level = 0
    for character in text:
        level += {"(": 1, ")": -1}.get(character, 0)
        if level > MOST_NESTED:
            raise SpecError(f"expected at most {MOST_NESTED} brackets within each other, got {shown(text)}.")
    stripped = text.strip()
    if "(" in stripped and stripped.endswith(")"):
        _check_parts(stripped)


def _check_characters(text: str) -> None:
    if "\0" in text:
        raise SpecError(f"expected text without a zero character, got {shown(text)}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SpecError(f"{shown(text)} cannot be written in UTF-8.") from None


def _check_parts(text: str) -> None:
    """That every part between the brackets is key=value, with keys that differ; and so on inside."""
    keys = set()
    for part in _parts(text[text.index("(") + 1 : -1]):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise SpecError(f"expected key=value, got {shown(part)} in {shown(text)}.")
        if key in keys:
            raise SpecError(f"{shown(key)} is given twice in {shown(text)}.")
        keys.add(key)
        value = value.strip()
        if "(" in value and value.endswith(")"):
            _check_parts(value)


def _parts(inside: str) -> list[str]:
    """What stands between the commas outside of further brackets."""
    level, begin, parts = 0, 0, []
    for place, character in enumerate(inside):
        level += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and level == 0:
            parts.append(inside[begin:place])
            begin = place + 1
    return [*parts, inside[begin:]] if inside else []
