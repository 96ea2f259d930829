"""Write the sample data of the package: ``python -m examples.make_demo_data [FOLDER]``.

``demo_preferences.jsonl.gz``: votes of six raters in a hurry on pairs of replies, with ten planted
faults. ``demo_samples.jsonl.gz``: sixteen replies to each of 200 prompts, with two proxy rewards
and the gold reward. Seeded; the same bytes every time (within one version of zlib).
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from examples.demo_raters import careful_rewards, gold, proxy_rewards, vote
from examples.demo_replies import Reply, Writer, distinct_replies
from examples.demo_topic_files import Prompt, read_phrases, read_topics

PREFERENCES = "demo_preferences.jsonl.gz"
SAMPLES = "demo_samples.jsonl.gz"
DATA_DIR = Path(__file__).parents[1] / "src" / "rewardlab" / "data"

SEED = 20_240_613
ANNOTATORS = ("ada", "ben", "chidi", "dana", "emre", "fay")
N_PAIRS_A_PROMPT = 2
N_VOTES_A_PAIR = 2
P_THIRD_VOTE = 0.1
N_SAMPLES = 16
N_SAMPLED_PROMPTS_A_TOPIC = 4

IDENTICAL_SIDES = 2
WHITESPACE_SIDES = (" ", "\n\n", "   \n")
INLINE_MARKERS = (
    "Human: Thanks. Anything else?",
    "Human: And what comes next?",
    "Human: OK, got it.",
    "Human: Could you say more?",
)

Row = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two replies to one prompt, in the order in which raters saw them."""

    prompt_id: str
    prompt: str
    a: Reply
    b: Reply
    n_votes: int


@dataclass(frozen=True, slots=True)
class AskedPrompt:
    """A prompt of the data with a writer of replies to it."""

    prompt_id: str
    prompt: Prompt
    writer: Writer

    def replies(self, n: int, rng: np.random.Generator) -> list[Reply]:
        """``n`` different replies in random order."""
        drawn = distinct_replies(lambda: self.writer.reply(self.prompt), n)
        return [drawn[int(i)] for i in rng.permutation(n)]

    def pair(self, a: Reply, b: Reply, n_votes: int) -> Pair:
        return Pair(self.prompt_id, self.prompt.text, a, b, n_votes)


def ask_prompts(rng: np.random.Generator) -> list[list[AskedPrompt]]:
    """Every prompt, by topic."""
    phrases = read_phrases()
    by_topic = []
    n = 0
    for topic in read_topics():
        writer = Writer(topic, phrases, rng)
        asked = []
        for prompt in topic.prompts:
            n += 1
            asked.append(AskedPrompt(f"p{n:03d}", prompt, writer))
        by_topic.append(asked)
    return by_topic


def preference_rows(seed: int) -> list[Row]:
    """Votes in rewardlab's own layout, one row a vote."""
    rng = np.random.default_rng([seed, 1])
    asked = [prompt for topic in ask_prompts(rng) for prompt in topic]
    asked = [asked[int(i)] for i in rng.permutation(len(asked))]
    pairs = []
    for prompt in asked:
        replies = prompt.replies(2 * N_PAIRS_A_PROMPT, rng)
        for a, b in zip(replies[::2], replies[1::2], strict=True):
            n_votes = N_VOTES_A_PAIR + int(rng.random() < P_THIRD_VOTE)
            pairs.append(prompt.pair(a, b, n_votes))
    for fault in _faulty_pairs(asked, rng):
        pairs.insert(int(rng.integers(len(pairs) + 1)), fault)
    rows: list[Row] = []
    for i, pair in enumerate(pairs):
        rows += _votes(f"c{i + 1:04d}", pair, rng)
    return _with_contradicting_twin(rows, f"c{len(pairs) + 1:04d}", rng)


def _faulty_pairs(asked: Sequence[AskedPrompt], rng: np.random.Generator) -> list[Pair]:
    n = IDENTICAL_SIDES + len(WHITESPACE_SIDES) + len(INLINE_MARKERS)
    chosen = [asked[int(i)] for i in rng.permutation(len(asked))[:n]]
    drawn = [prompt.replies(2, rng) for prompt in chosen]
    spoilt = [a for a, _ in drawn[:IDENTICAL_SIDES]]
    spoilt += [Reply(blank, 0, 0, 0, 0) for blank in WHITESPACE_SIDES]
    spoilt += [
        _with_marker(b, marker)
        for (_, b), marker in zip(drawn[len(spoilt) :], INLINE_MARKERS, strict=True)
    ]
    pairs = []
    for prompt, (a, _), b in zip(chosen, drawn, spoilt, strict=True):
        sides = (a, b) if rng.random() < 0.5 else (b, a)
        pairs.append(prompt.pair(*sides, n_votes=1))
    return pairs


def _with_marker(reply: Reply, marker: str) -> Reply:
    """The next turn of the user, run into the reply as a bad cut of a transcript leaves it."""
    body, mark, last = reply.text.rpartition(". ")
    n_more = len(marker.split())
    return replace(
        reply,
        text=f"{body}{mark}{marker} {last}" if mark else f"{last} {marker}",
        n_words=reply.n_words + n_more,
        n_padding_words=reply.n_padding_words + n_more,
    )


def _votes(pair_id: str, pair: Pair, rng: np.random.Generator) -> list[Row]:
    raters = rng.permutation(len(ANNOTATORS))[: pair.n_votes]
    return [
        {
            "id": pair_id,
            "prompt_id": pair.prompt_id,
            "prompt": pair.prompt,
            "response_a": pair.a.text,
            "response_b": pair.b.text,
            "outcome": vote(pair.a, pair.b, rng),
            "annotator": ANNOTATORS[int(rater)],
            "quality_a": pair.a.quality,
            "quality_b": pair.b.quality,
        }
        for rater in raters
    ]


def _with_contradicting_twin(rows: list[Row], pair_id: str, rng: np.random.Generator) -> list[Row]:
    """One vote for a comes back with its sides swapped, by the same rater, for a again."""
    n_votes = {row["id"]: 0 for row in rows}
    for row in rows:
        n_votes[row["id"]] += 1
    for_a = [row for row in rows if row["outcome"] == "a" and n_votes[row["id"]] > 1]
    first = for_a[int(rng.integers(len(for_a)))]
    twin = {
        **first,
        "id": pair_id,
        "response_a": first["response_b"],
        "response_b": first["response_a"],
        "quality_a": first["quality_b"],
        "quality_b": first["quality_a"],
    }
    return [*rows, twin]


def sample_rows(seed: int) -> list[Row]:
    """Sixteen exchangeable replies a prompt, scored."""
    rng = np.random.default_rng([seed, 2])
    rows: list[Row] = []
    for topic in ask_prompts(rng):
        chosen = np.sort(rng.permutation(len(topic))[:N_SAMPLED_PROMPTS_A_TOPIC])
        for i in chosen:
            rows += _scored(topic[int(i)], rng)
    return rows


def _scored(asked: AskedPrompt, rng: np.random.Generator) -> list[Row]:
    replies = asked.replies(N_SAMPLES, rng)
    proxy = proxy_rewards(replies, rng)
    careful = careful_rewards(replies, rng)
    return [
        {
            "prompt_id": asked.prompt_id,
            "sample": i,
            "prompt": asked.prompt.text,
            "response": reply.text,
            "n_words": reply.n_words,
            "proxy_reward": round(float(proxy[i]), 3),
            "careful_reward": round(float(careful[i]), 3),
            "gold": round(gold(reply), 2),
        }
        for i, reply in enumerate(replies)
    ]


def as_jsonl(rows: Sequence[Row]) -> bytes:
    """One JSON object a line, UTF-8."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def write(folder: Path) -> None:
    """Write both files, gzipped without a time stamp."""
    for name, rows in ((PREFERENCES, preference_rows(SEED)), (SAMPLES, sample_rows(SEED))):
        path = folder / name
        path.write_bytes(gzip.compress(as_jsonl(rows), compresslevel=9, mtime=0))
        sys.stdout.write(f"{path.name}: {len(rows):,} rows, {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA_DIR)
