"""Word lists behind the lexical text features: what counts as a hedge, an apology, flattery, ...

Entries are lower-case words, or phrases of two or three words, with straight apostrophes. A word
of a text is compared after the characters around it that are neither letters nor digits are cut
off, after lower-casing, and with curly apostrophes made straight; so ``**Sorry,**`` is ``sorry``.
No entry contains another entry of its own list, so every occurrence counts once.

The lists are English and short on purpose: each feature must be something a reader can check by
eye. They follow the usual categories of stance and politeness markers, not one published lexicon.

Source: categories after Hyland (2005), *Metadiscourse* (hedges, boosters, self-mention), and
Danescu-Niculescu-Mizil et al. (2013), arXiv:1306.6078 (politeness strategies).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

VERSION = 1
"""Raised whenever a list or a counting rule changes, so that old models refuse to score."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Single words and phrases of two or three words, lower-case, with straight apostrophes."""

    words: frozenset[str]
    phrases: frozenset[tuple[str, ...]]


def _lexicon(words: str, phrases: str = "") -> Lexicon:
    """A lexicon from words between blanks and phrases between bars."""
    split = (tuple(phrase.split()) for phrase in phrases.split("|"))
    return Lexicon(frozenset(words.split()), frozenset(phrase for phrase in split if phrase))


HEDGES = _lexicon(
    """
    maybe perhaps possibly probably presumably apparently seemingly arguably roughly might
    somewhat likely unlikely unclear uncertain
    """,
    """
    i think|i believe|i guess|i suppose|i'm not sure|am not sure|it seems|it appears|could be|
    may be|not certain|sort of|kind of|in general|it depends|tend to|tends to
    """,
)

CONFIDENCE = _lexicon(
    """
    definitely certainly absolutely clearly obviously undoubtedly surely always never guaranteed
    unquestionably undeniably indeed truly
    """,
    """
    without doubt|no doubt|of course|for sure|without question|i'm sure|i am sure|i'm certain|
    i am certain|i'm confident|i am confident|the truth is|in fact
    """,
)

APOLOGY = _lexicon(
    """
    sorry apologies apologize apologise apology regret regrettably unfortunately
    """,
    """
    forgive me|pardon me|my mistake
    """,
)

REFUSAL = _lexicon(
    """
    unable refuse decline
    """,
    """
    i can't|i cannot|i can not|i won't|i will not|i couldn't|i could not|not able to|
    not comfortable|i'm not going|am not going|i don't want|i wouldn't|i would not|i don't feel|
    not appropriate|against my
    """,
)

DISCLAIMERS = _lexicon(
    """
    disclaimer
    """,
    """
    as an ai|language model|important to note|worth noting|please note|keep in mind|
    a professional|medical advice|legal advice|financial advice|consult with|
    seek professional|your doctor|a doctor|a lawyer|a therapist
    """,
)

WARMTH = _lexicon(
    """
    glad happy welcome please thanks care wonderful hope support enjoy congratulations understand
    comfort warmly gladly dear friend
    """,
    """
    thank you|i'd love|i would love|here for you|feel free|of help|good luck|
    let me know|sorry to hear
    """,
)

FLATTERY = _lexicon(
    """
    brilliant genius insightful fantastic amazing awesome outstanding impressive incredible
    """,
    """
    great question|good question|excellent question|great idea|good idea|excellent idea|
    great point|good point|excellent point|great choice|good choice|excellent choice|great job|
    good job|well done|you're smart|you are smart|so smart|very smart|great plan|
    interesting question|thoughtful question
    """,
)

AGREEMENT = _lexicon(
    """
    agree agreed exactly precisely
    """,
    """
    you're right|you are right|you're correct|you are correct|you're absolutely|
    you are absolutely|that's right|that is right|that's true|that is true|that's correct|
    that is correct|good point|great point|excellent point|makes sense|fair point|valid point|
    share your
    """,
)

PUSHBACK = _lexicon(
    """
    disagree incorrect mistaken inaccurate misconception myth untrue misleading wrong however
    actually
    """,
    """
    don't agree|do not agree|not true|not correct|not right|not quite|not accurate|no evidence|
    on the contrary|not necessarily
    """,
)

FIRST_PERSON = _lexicon(
    "i me my mine myself i'm i've i'd i'll we us our ours ourselves we're we've we'd we'll"
)

SECOND_PERSON = _lexicon("you your yours yourself yourselves you're you've you'd you'll")

STATED_VIEW = _lexicon(
    """
    imo imho convinced
    """,
    """
    i think|i believe|i feel|i'm sure|i am sure|i'm certain|i am certain|i'm pretty|i know that|
    my view|my opinion|my belief|i agree|i disagree|i strongly|
    i don't think|do not think|i don't believe|do not believe|seems to me|i would say|i'd say|
    i've always|i am confident|i'm confident|i guess|i suspect
    """,
)

LEXICONS: Mapping[str, Lexicon] = {
    "hedges": HEDGES,
    "confidence": CONFIDENCE,
    "apology": APOLOGY,
    "refusal": REFUSAL,
    "disclaimers": DISCLAIMERS,
    "warmth": WARMTH,
    "flattery": FLATTERY,
    "agreement": AGREEMENT,
    "pushback": PUSHBACK,
    "first_person": FIRST_PERSON,
    "second_person": SECOND_PERSON,
    "stated_view": STATED_VIEW,
}
"""List name -> its entries."""

FUNCTION_WORDS = _lexicon(
    """
    a about after all also am an and any are aren't as at be because been before being but by can
    can't cannot could did didn't do does doesn't don't each for from get had has have having he
    her here him his how i i'd i'll i'm i've if in into is isn't it it's its just like make may me
    might more most much my no not of on one only or other our out over own same she should so
    some such than that that's the their them then there there's these they they're this those
    through to too under up us very was we we're were what what's when where which while who why
    will with would you you'd you'll you're you've your
    """
).words
"""Words that carry grammar rather than content; left out of the overlap with the prompt."""

ABBREVIATIONS = _lexicon("mr mrs ms dr prof st vs etc e.g i.e cf fig inc ltd approx").words
"""Words whose final full stop does not end a sentence."""
