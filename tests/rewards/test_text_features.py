"""Text features: against a slow twin, on fuzzed and real texts, and case by case."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardlab.errors import InputError
from rewardlab.rewards import text_features
from rewardlab.rewards.lexicons import LEXICONS
from rewardlab.rewards.text_features import FEATURES, NAMES, compute, last_user_turn
from rewardlab.rewards.vocabulary import Vocabulary
from tests.rewards import plain_text_features

FRAGMENTS = (
    '\n|\n\n|\r\n| |  |\t|\x00|\x1c|\u00a0|\u2028|.|!|?|...|…|。|？|"|”|’|**|*|_|__|`|``|```|'
    "```python|~~~|#|##|-|•|1.|2)|(a)|**3.**|A.|I.|I|i'm|I’m|sorry|Sorry,|not|sure|think|you|are|"
    "right|my|view|Dr.|e.g.|http://x.y/?a|www.a.b|[a](b)|USA|A1|42|3.5|naïve|ÜBER|İ|ß|ǅ|中文|日本語。|"
    "😀|\ud800|e\u0301|½|٣|great|question!|as|an|ai|or|:|;|—|word—word|a/b|re-use|exactly"
)
PIECES = st.sampled_from(FRAGMENTS.split("|"))
TEXTS = st.lists(PIECES | st.text(max_size=6), max_size=60).flatmap(
    lambda pieces: st.sampled_from(["", " ", "\n"]).map(lambda gap: gap.join(pieces))
)


def value(response: str, name: str, prompt: str = "") -> float:
    return float(compute([prompt], [response])[0, NAMES.index(name)])


def twin(prompts: list[str], responses: list[str]) -> np.ndarray:
    rows = [plain_text_features.features(p, r) for p, r in zip(prompts, responses, strict=True)]
    return np.array([[row[name] for name in NAMES] for row in rows])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6))
def test_any_text_has_the_features_of_the_slow_twin(pairs: list[tuple[str, str]]) -> None:
    # A request with a transcript's turns would be cut first; that is tested apart.
    prompts = [p.replace("Human:", "").replace("User:", "") for p, _ in pairs]
    responses = [r for _, r in pairs]
    # Sums of at most 60 terms in another order: 1e-12 is far above rounding.
    np.testing.assert_allclose(
        compute(prompts, responses), twin(prompts, responses), rtol=1e-12, atol=1e-12
    )


def test_real_answers_have_the_features_of_the_slow_twin(data_dir: Path) -> None:
    prompts, responses = [], []
    for name, columns in (
        ("hh_harmless_test_filtered", ("chosen", "rejected")),
        ("llmfao_pairs_text", ("response_x", "response_y")),
    ):
        with gzip.open(data_dir / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            for line in list(file)[:600]:
                row = json.loads(line)
                prompts += [row["prompt"]] * 2
                responses += [row[c] for c in columns]
    expected = twin([last_user_turn(p) for p in prompts], responses)
    np.testing.assert_allclose(compute(prompts, responses), expected, rtol=1e-12, atol=1e-12)


def test_batches_blocks_and_a_warm_vocabulary_do_not_alter_the_features(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    words = ["I", "think", "you're", "right.\n\n", "1.", "\n2.", "sorry", "great", "question!", "x"]
    texts = [" ".join(rng.choice(words, size=k)) for k in rng.integers(0, 90, size=200)]
    prompts = texts[::-1]
    expected = compute(prompts, texts)
    vocabulary = Vocabulary()
    compute(prompts[:50], texts[:50], vocabulary=vocabulary)
    np.testing.assert_array_equal(compute(prompts, texts, vocabulary=vocabulary), expected)
    monkeypatch.setattr(text_features, "BLOCK_TEXTS", 7)
    monkeypatch.setattr(text_features, "BATCH_TOKENS", 3)
    monkeypatch.setattr("rewardlab.rewards.vocabulary.MAX_TOKENS_KEPT", 4)
    np.testing.assert_array_equal(compute(prompts, texts), expected)


@pytest.mark.parametrize("text", ["", " ", "\n\n \t", "\x00"])
def test_a_text_without_words_is_zero_everywhere(text: str) -> None:
    assert not compute(["Why?"], [text]).any()
    assert not compute(["Why?"], [None]).any()


def test_punctuation_alone_counts_its_marks_only() -> None:
    row = compute(["Why?"], ["?! ..."])[0]
    assert {NAMES[i] for i in np.flatnonzero(row)} == {"questions", "exclamations"}


@pytest.mark.parametrize(
    ("name", "response", "expected"),
    [
        ("n_words", "Two words -- here, three.", 4),
        ("n_sentences", "Dr. A. Smith came. He left? Yes", 3),
        ("n_sentences", "Steps:\n1. wash\n2. dry", 3),
        ("paragraphs", "One.\n\nTwo.\nStill two.\n\n\n", 2),
        ("list_items", "- a\n* b\n1. c\n  2) d\nnot - this", 4),
        ("headings", "# Title\ntext # no", 1),
        ("code_blocks", "```python\nx = 1\n```\n```\nopen", 2),
        ("inline_code", "use `x` or `a b`", 2),
        ("emphasis", "a **bold** and *two words* and 2*3", 2),
        ("links", "see https://a.org or [here](b) or www.c.org.", 3),
        ("numbers", "in 1999 I paid $3.50 for 2nd", 3),
        ("capitals", "NASA and I", 1 / 3),
        ("questions", "Why?? Really? (yes?)", 3),
        ("exclamations", "No! Yes!!", 2),
        ("hedges", "Maybe. I’m not sure, it depends.", 3),
        ("apology", "**Sorry**, my mistake.", 2),
        ("refusal", "I can’t. I cannot. I am unable.", 3),
        ("flattery", "Great question! Brilliant.", 2),
        ("first_person", "I'm me; we are ours.", 4),
        ("second_person", "You and your cat", 2),
        ("variety", "the cat the dog", 0.75),
        ("repetition", "a b a b a b", 3 / 5),
        ("reading_grade", "one two", 4.71 * 3 + 0.5 * 2 - 21.43),
    ],
)
def test_a_feature_counts_what_it_says(name: str, response: str, expected: float) -> None:
    assert value(response, name) == pytest.approx(expected, abs=1e-12)


def test_agreement_counts_only_where_the_request_states_a_view() -> None:
    answer = "You're right, that's true."
    assert value(answer, "agreement", "I think the earth is flat.") == 2
    assert value(answer, "agreement", "Is the earth flat?") == 0
    assert value("Actually, that is not true.", "pushback", "In my opinion it is.") == 2


def test_overlap_leaves_function_words_out() -> None:
    assert value("the cat is asleep", "prompt_overlap", "Is the cat in?") == 0.5


def test_variety_of_random_words_does_not_fall_with_length() -> None:
    rng = np.random.default_rng(1)
    short, long = (" ".join(map(str, rng.integers(0, 300, size=n))) for n in (60, 2000))
    # The plain ratio would fall from .9 to .15; windows of 50 keep .92 give or take .03.
    assert abs(value(short, "variety") - value(long, "variety")) < 0.06


@pytest.mark.parametrize(
    ("prompt", "request_text"),
    [
        ("plain: question", "plain: question"),
        ("\n\nHuman: one\n\nAssistant: two\n\nHuman: three\n\nAssistant:", " three"),
        ("Human: one", " one"),
        ("User: a\n\nAssistant: b", " a"),
        ([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "a"),
        ([{"role": "system", "content": "s"}], "s"),
        ([{"role": "user", "content": None}], ""),
    ],
)
def test_the_request_is_the_last_turn_of_the_user(
    prompt: str | list[dict[str, object]], request_text: str
) -> None:
    assert last_user_turn(prompt) == request_text


def test_message_lists_are_read_as_their_text() -> None:
    messages = [{"role": "assistant", "content": "Sorry, I can't."}]
    np.testing.assert_array_equal(compute([""], [messages]), compute([""], ["Sorry, I can't."]))


def test_unequal_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="responses: expected length 2, got 1"):
        compute(["a", "b"], ["c"])


def test_names_are_unique_and_in_the_order_of_the_columns() -> None:
    assert len(set(NAMES)) == len(FEATURES) == compute([""], [""]).shape[1]


def test_no_entry_of_a_word_list_contains_another() -> None:
    for name, lexicon in LEXICONS.items():
        for phrase in lexicon.phrases:
            assert 2 <= len(phrase) <= 3
            assert not lexicon.words.intersection(phrase), (name, phrase)
            inner = {phrase[:2], phrase[1:]} if len(phrase) == 3 else set()
            assert not inner & lexicon.phrases, (name, phrase)
