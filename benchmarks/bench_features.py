"""Text features: responses a second, against a plain-Python twin and scikit-learn's word counts.

Answers have 200 words: function words, words of the lists, punctuation and line breaks, and an
endless tail of rare words, so that new words keep coming as they do in real text. Two answers
share a request of 40 words. The twin computes the same features; scikit-learn only counts words.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.side_by_side import Times, best_times, print_heading, print_line
from rewardlab.rewards.lexicons import FUNCTION_WORDS, LEXICONS
from rewardlab.rewards.text_features import compute
from rewardlab.rewards.vocabulary import Vocabulary
from tests.rewards import plain_text_features

N_RESPONSES = 20_000
N_PLAIN = 100
WORDS_EACH = 200
LETTERS = str.maketrans("0123456789", "etaoinshrd")
ENDS = np.array([" "] * 84 + [", "] * 7 + [". "] * 6 + ["? ", "! ", ".\n\n"])


def make_texts(n: int, n_words: int, rng: np.random.Generator) -> list[str]:
    """Texts with the word frequencies of English prose, roughly: half function words."""
    function = np.array(sorted(FUNCTION_WORDS))
    listed = np.array(sorted(w for x in LEXICONS.values() for w in x.words))
    kind = rng.random((n, n_words))
    # 4 million words then hold about 115,000 distinct tokens, as real answers do (Heaps law).
    rank = np.minimum(rng.zipf(1.3, (n, n_words)), 10**9)
    spelt = [" ".join(row).translate(LETTERS).split(" ") for row in rank.astype(str)]
    words = np.array(spelt)
    words = np.where(kind < 0.45, function[rng.integers(0, len(function), kind.shape)], words)
    words = np.where(kind > 0.93, listed[rng.integers(0, len(listed), kind.shape)], words)
    pieces = np.char.add(words, ENDS[rng.integers(0, len(ENDS), kind.shape)])
    return ["".join(row) for row in pieces]


def main() -> None:
    """Print the rates and their ratios."""
    rng = np.random.default_rng(0)
    responses = make_texts(2 * N_RESPONSES, WORDS_EACH, rng)
    prompts = [prompt for prompt in make_texts(N_RESPONSES, 40, rng) for _ in (0, 1)]
    first, then = slice(0, N_RESPONSES), slice(N_RESPONSES, None)
    plain = best_times(
        lambda: compute(prompts[first], responses[first]),
        lambda: list(map(plain_text_features.features, prompts[:N_PLAIN], responses[:N_PLAIN])),
        turns=3,
    )
    _print("text features, first 20,000 / plain Python twin", plain, N_PLAIN)
    counting = best_times(
        lambda: compute(prompts[first], responses[first]),
        lambda: CountVectorizer().fit_transform(responses[first]),
        turns=3,
    )
    _print("text features, first 20,000 / CountVectorizer", counting, N_RESPONSES)
    vectoriser, seconds = CountVectorizer().fit(responses[first]), []
    for _ in range(3):
        vocabulary = Vocabulary()
        compute(prompts[first], responses[first], vocabulary=vocabulary)
        seconds.append(
            best_times(
                partial(compute, prompts[then], responses[then], vocabulary=vocabulary),
                lambda: vectoriser.transform(responses[then]),
                turns=1,
            )
        )
    following = Times(min(t.ours for t in seconds), min(t.peer for t in seconds))
    _print("text features, next 20,000 / CountVectorizer.transform", following, N_RESPONSES)


def _print(name: str, times: Times, n_peer: int) -> None:
    ours, peer = N_RESPONSES / times.ours, n_peer / times.peer
    print_line(name, f"{ours:,.0f}/s", f"{peer:,.0f}/s", ours / peer)


if __name__ == "__main__":
    print_heading()
    main()
