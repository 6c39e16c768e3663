"""The keys of a string `name(key=value,...)`, looked at before OpenSpiel's parser takes it apart."""

from starspiel.envs.errors import SpecError


def check_keys(text: str) -> None:
    """OpenSpiel's parser takes the last of two equal keys and an empty key without a word; we do not.

    Brackets that do not match are left to the parser.
    """
    if "(" not in text or not text.rstrip().endswith(")"):
        return
    level, part, parts = 0, "", []
    for character in text.rstrip()[text.index("(") + 1 : -1]:
        level += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and level == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    parts += [part] if part or parts else []
    keys = []
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise SpecError(f"expected key=value, got {part!r} in {text!r}.")
        if key in keys:
            raise SpecError(f"{key!r} is given twice in {text!r}.")
        keys.append(key)
        if "(" in value:
            check_keys(value.strip())
