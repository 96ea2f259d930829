"""Text features: responses a second, against a plain-Python twin and scikit-learn's word counts.

Answers have 200 words: function words, words of the lists, punctuation and line breaks, and an
endless tail of rare words, so that new words keep coming as they do in real text. Two answers
share a request of 40 words. The twin computes the same features; scikit-learn only counts words.
"""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.side_by_side import best_times, print_heading, print_line
from rewardlab.rewards.lexicons import FUNCTION_WORDS, LEXICONS
from rewardlab.rewards.text_features import compute
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
    responses = make_texts(N_RESPONSES, WORDS_EACH, rng)
    prompts = [prompt for prompt in make_texts(N_RESPONSES // 2, 40, rng) for _ in (0, 1)]
    few = list(zip(prompts[:N_PLAIN], responses[:N_PLAIN], strict=True))
    plain = best_times(
        lambda: compute(prompts, responses),
        lambda: [plain_text_features.features(p, r) for p, r in few],
        turns=3,
    )
    counting = best_times(
        lambda: compute(prompts, responses),
        lambda: CountVectorizer().fit_transform(responses),
        turns=3,
    )
    for name, times, n_peer in (
        ("30 text features / plain Python twin", plain, N_PLAIN),
        ("30 text features / scikit-learn CountVectorizer", counting, N_RESPONSES),
    ):
        ours, peer = N_RESPONSES / times.ours, n_peer / times.peer
        print_line(name, f"{ours:,.0f}/s", f"{peer:,.0f}/s", ours / peer)


if __name__ == "__main__":
    print_heading()
    main()
