"""Battles from files: what is taken, and what is left out and counted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rewardlab.errors import FormatError, InputError, RowError
from rewardlab.preferences.battle_reading import BattleOptions, read_battles
from rewardlab.preferences.options import ReadOptions
from rewardlab.types import Outcome

ODD = """model_a,model_b,winner,prompt_id,annotator,len_a,len_b
x,y,model_a,p1,w1,10,7
y,"z, the third",model_b,p1,,3,3.5
x,x,tie,p2,w1,1,1
 ,y,model_a,p2,w2,1,1
z,y,both_bad,p2,w2,4,1
y,x,tie,p3,w2,0,1
"""


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    path = tmp_path / "odd.csv"
    path.write_text(ODD)
    return path


def test_items_are_in_the_order_of_their_names_and_votes_in_that_of_the_file(odd: Path) -> None:
    battles = read_battles(odd).battles
    assert battles.names == ("x", "y", "z", "z, the third")
    assert battles.a.tolist() == [0, 1, 2, 1]
    assert battles.b.tolist() == [1, 3, 1, 0]
    assert battles.outcome.tolist() == [Outcome.A, Outcome.B, Outcome.TIE, Outcome.TIE]
    assert battles.prompt is not None and battles.prompt.tolist() == [0, 0, 1, 2]


def test_what_is_no_battle_is_left_out_and_counted_with_its_line(odd: Path) -> None:
    read = read_battles(odd)
    assert [(x.reason, x.count, x.examples) for x in read.left_out] == [
        ("an item has no name", 1, (f"{odd}:5",)),
        ("both sides are the same item", 1, (f"{odd}:4",)),
    ]
    assert read.n_rows == 6
    said = " ".join(read.sentences)
    assert "Left out 1: both sides are the same item" in said
    assert "Taken for one annotator's, as none is named: 1 vote." in said


def test_both_bad_counts_as_a_tie_unless_it_is_left_out(odd: Path) -> None:
    assert read_battles(odd).n_both_bad == 1
    left = read_battles(odd, options=BattleOptions(both_bad="leave-out"))
    assert left.battles.names == ("x", "y", "z, the third"), "an item without battles is none"
    assert ("voted both bad", 1) in [(x.reason, x.count) for x in left.left_out]


def test_a_covariate_is_the_column_of_a_less_that_of_b(odd: Path) -> None:
    options = BattleOptions(covariates={"length": ("len_a", "len_b")})
    battles = read_battles(odd, options=options).battles
    assert battles.covariate_names == ("length",)
    assert battles.covariates is not None
    np.testing.assert_array_equal(battles.covariates[:, 0], [3.0, -0.5, 3.0, -1.0])


def test_a_covariate_that_is_no_number_names_its_line(odd: Path) -> None:
    options = BattleOptions(covariates={"who": ("annotator", "len_b")})
    with pytest.raises(FormatError, match="no such column"):
        read_battles(odd, options=options)
    odd.write_text(ODD.replace("10,7", "ten,7"))
    with pytest.raises(RowError, match=r"line 2: column 'len_a': got 'ten'"):
        read_battles(odd, options=BattleOptions(covariates={"length": ("len_a", "len_b")}))


def test_an_unknown_winner_names_its_line(odd: Path) -> None:
    odd.write_text(ODD.replace("x,y,model_a", "x,y,Model_A"))
    with pytest.raises(RowError, match=r"line 2: column 'winner': got 'Model_A'"):
        read_battles(odd)


def test_a_file_without_item_names_holds_no_battle(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"prompt": "p", "chosen": "a", "rejected": "b"}\n')
    with pytest.raises(FormatError, match="an item has no name"):
        read_battles(path, ReadOptions())


def test_margins_are_those_of_the_votes_that_stay(tmp_path: Path) -> None:
    path = tmp_path / "margins.csv"
    path.write_text("model_a,model_b,winner,margin\nx,y,model_a,2\nx,x,tie,1\ny,x,model_a,\n")
    assert read_battles(path).battles.margin is None
    taken = read_battles(path, options=BattleOptions(margin=True)).battles.margin
    assert taken is not None and taken.tolist() == [2, 0]


def test_margins_that_are_not_there_are_refused(odd: Path) -> None:
    with pytest.raises(InputError, match="no battle has one"):
        read_battles(odd, options=BattleOptions(margin=True))
