"""Kinds of the parts of a program: keywords, texts, comments and the like."""

from __future__ import annotations

from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

LONGEST_CODE = 10_000
"""Characters of code whose parts are told apart."""

LANGUAGES = frozenset(
    (
        *("python", "py", "python3", "javascript", "js", "typescript", "ts", "jsx"),
        *("tsx", "json", "bash", "sh", "shell", "zsh", "sql", "html"),
        *("xml", "css", "c", "cpp", "c++", "csharp", "c#", "java"),
        *("kotlin", "go", "rust", "rs", "ruby", "rb", "php", "swift"),
        *("r", "yaml", "yml", "toml", "ini", "diff", "dockerfile", "makefile"),
        *("latex", "tex", "scala", "lua"),
    )
)
"""Whose parts are told apart: names after a fence that anybody wrote choose from these alone."""

_KINDS = (
    (Comment, "comment"),
    (Keyword, "keyword"),
    (Operator.Word, "keyword"),
    (String, "string"),
    (Number, "number"),
    (Name.Function, "name"),
    (Name.Class, "name"),
    (Name.Tag, "name"),
    (Name.Decorator, "name"),
)


def highlighted(code: str, language: str) -> list[tuple[str, str]]:
    """Parts of the code in order, each with its kind; "" for none in particular.

    Args:
        code: The code; its parts joined are the code again.
        language: What the fence says, in any case of letters.
    """
    name = language.lower()
    if name not in LANGUAGES or len(code) > LONGEST_CODE:
        return [("", code)]
    parts: list[tuple[str, str]] = []
    for token, text in _lexer(name).get_tokens(code):
        kind = _kind(token)
        if parts and (parts[-1][0] == kind or not text.strip()):
            parts[-1] = (parts[-1][0], parts[-1][1] + text)
        else:
            parts.append((kind, text))
    return parts if "".join(text for _, text in parts) == code else [("", code)]


@cache
def _lexer(name: str) -> Lexer:
    return get_lexer_by_name(name, stripnl=False, ensurenl=False)


def _kind(token: _TokenType) -> str:
    return next((kind for group, kind in _KINDS if token in group), "")
