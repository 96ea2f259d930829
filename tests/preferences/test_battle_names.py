"""Names that look alike are items of their own, and it is said."""

from __future__ import annotations

from rewardlab.preferences.battle_names import alike_sentences, names_alike


def test_names_that_differ_in_case_or_blanks_alone_look_alike() -> None:
    names = ("ant", "ant ", "bee", "Bee", "a nt", "a  nt", "cat")
    assert names_alike(names) == (("ant", "ant "), ("bee", "Bee"), ("a nt", "a  nt"))


def test_names_that_differ_otherwise_do_not() -> None:
    assert names_alike(("gpt-4", "gpt-4o", "gpt4", "1", "01", "1.0")) == ()
    assert alike_sentences(("gpt-4", "gpt-4o")) == ()


def test_names_that_print_alike_are_told_apart_by_code_points() -> None:
    (sentence,) = alike_sentences(("b\u00e9e", "be\u0301e"))
    assert r"'b\xe9e' and 'be\u0301e'" in sentence


def test_no_more_than_a_few_groups_are_named() -> None:
    names = [f"{word}{k}" for k in range(8) for word in ("ant", "Ant")]
    (sentence,) = alike_sentences(names)
    assert sentence.count(" and ") == 6
    assert sentence.endswith("; and 3 more such groups.")
