"""Formulas of optimising a reward: the objective, its optimum, best-of-n."""

from __future__ import annotations

from rewardlab.lessons.computed import Computed
from rewardlab.lessons.figures import (
    best_of_two_outcomes,
    bound_of,
    distance_after_step,
    leash_point,
    taste_share,
    two_answer_kl,
)
from rewardlab.lessons.formula import Formula, Term
from rewardlab.lessons.mathml import (
    bracket,
    call,
    frac,
    lines,
    paren,
    row,
    sub,
    sup,
    term,
    under,
    words,
)
from rewardlab.policies.best_of_n import kl_bound
from rewardlab.policies.closed_form import closed_form, gibbs
from rewardlab.policies.distributions import kl_nats
from rewardlab.policies.exact_best_of_n import best_of_n_logprobs
from rewardlab.policies.natural_gradient import natural_gradient_step

_POLICY = term("policy", "π")
_REF = term("ref", sub("π", "ref"))
_BETA = term("beta", "β")
_REWARD = term("r", "r")
_KL = term("kl", "KL")
_N = term("n", "n")

_SAID_POLICY = Term(_POLICY, "The policy: a probability for every answer.")
_SAID_REF = Term(_REF, "The reference: the policy before training.")
_SAID_BETA = Term(_BETA, "The price of one nat of KL, in units of reward.")

KL = Formula(
    name="kl",
    title="How far a policy has moved",
    math=row(
        _KL, "=", under("∑", "y"), call(_POLICY, "y"),
        call("log", frac(call(_POLICY, "y"), call(_REF, "y"))),
    ),
    reading="KL equals the sum over answers y of pi of y times log pi of y over pi ref of y",
    terms=(
        Term(_KL, "The divergence, in nats; 0 where nothing has moved."),
        _SAID_POLICY,
        _SAID_REF,
    ),
    worked=Computed(
        "Two answers that went from 50:50 to 60:40 are {0:.4f} nats away.",
        kl_nats,
        lambda: two_answer_kl(0.6, 0.5),
    ),
    source="Kullback and Leibler (1951)",
)  # fmt: skip

_J = term("j", "J")
OBJECTIVE = Formula(
    name="objective",
    title="Reward with a leash",
    math=row(
        _J, "=", term("mean", sub("E", "π"), bracket("r")), "−", _BETA,
        term("kl", "KL", paren("π", "|", sub("π", "ref"))),
    ),
    reading="J equals the mean of r under pi minus beta times the KL of pi from pi ref",
    terms=(
        Term(_J, "What training maximises, in units of reward."),
        Term(term("mean", sub("E", "π"), bracket("r")), "Mean reward of the policy's own answers."),
        _SAID_BETA,
        Term(_KL, "How far the policy has moved from the reference, in nats."),
    ),
    worked=Computed(
        "On the leash at β = 0.5 the optimum has reward {1:.3f} and KL {2:.3f}: J = {0:.3f}.",
        closed_form,
        lambda: leash_point(0.5),
    ),
    source="Ziegler et al. (2019), arXiv:1909.08593",
)  # fmt: skip

_OPTIMUM = term("optimum", sup("π", "∗"))
_Z = term("z", "Z")
GIBBS = Formula(
    name="gibbs",
    title="The optimum",
    math=row(_OPTIMUM, "=", frac(row(_REF, sup("e", row(_REWARD, "/", _BETA))), _Z)),
    reading="pi star equals pi ref times e to the r over beta, over Z",
    terms=(
        Term(_OPTIMUM, "The policy with the highest J: there is just one."),
        _SAID_REF,
        Term(_REWARD, "Reward of the answer. A gap of β ln 20 makes it 20 times likelier."),
        _SAID_BETA,
        Term(_Z, "Makes the probabilities add up to 1."),
    ),
    worked=Computed(
        "A 60:40 taste optimised at β = 0.1 from 50:50 ends at {0:.1%}, which is {1:.1f} to 1.",
        gibbs,
        lambda: taste_share(0.6, 0.1),
    ),
    source="Korbak et al. (2022), arXiv:2206.00761",
)

_NEXT = term("next", sup("π", "′"))
_STEP = term("eta", "η")
_F = term("f", "f")
NATURAL_GRADIENT = Formula(
    name="natural-gradient",
    title="One exact step",
    math=lines(
        row(
            call("log", _NEXT), "=", call("log", "π"), "+", _STEP,
            paren(_F, "−", row("E", bracket(_F))), "+", term("const", words("const")),
        ),
        row(_F, "=", "r", "−", _BETA, call("log", frac("π", sub("π", "ref")))),
    ),
    reading="log pi prime equals log pi plus eta times f minus the mean of f, plus a constant, "
    "where f is r minus beta log pi over pi ref",
    terms=(
        Term(_NEXT, "The policy after the step."),
        Term(_STEP, "Size of the step. η = 1/β arrives at once; above 2/β steps diverge."),
        Term(_F, "Reward less the price of the KL that the answer has already cost."),
        Term(term("const", words("const")), "Makes the probabilities add up to 1."),
        _SAID_BETA,
    ),
    worked=Computed(
        "On the leash, one step of η = 2 at β = 0.5 ends {0:.3f} from the optimum; one of η = 1 "
        "ends {1:.3f} from it (total variation).",
        natural_gradient_step,
        lambda: (*distance_after_step(0.5, 2.0), *distance_after_step(0.5, 1.0)),
    ),
    source="Amari (1998); Kakade (2001)",
)  # fmt: skip

_UPTO = term("upto", "F")
_BELOW = term("below", sub("F", "<"))
BEST_OF_N = Formula(
    name="best-of-n",
    title="The best of n",
    math=row(term("chance", sub("P", "n")), "=", sup(_UPTO, _N), "−",
             sup(_BELOW, _N)),
    reading="P n equals F to the n minus F below to the n",
    terms=(
        Term(term("chance", sub("P", "n")), "Chance that the best of n has this very reward."),
        Term(_UPTO, "Chance that one answer has this reward or less."),
        Term(_N, "Answers written, of which the best is kept."),
        Term(_BELOW, "Chance that one answer has less."),
    ),
    worked=Computed(
        "Two equally likely outcomes: the better one is the best of four {0:.2%} of the time.",
        best_of_n_logprobs,
        lambda: best_of_two_outcomes(4),
    ),
    source="Beirami et al. (2024), arXiv:2401.01879",
)  # fmt: skip

KL_BOUND = Formula(
    name="kl-bound",
    title="How far best-of-n goes",
    math=row(_KL, "≤", call("log", _N), "−", frac(row(_N, "−", "1"), _N)),
    reading="KL is at most log n minus n minus one over n",
    terms=(
        Term(_KL, "Of the best of n from one sample, in nats. Equal where no answer is likely."),
        Term(_N, "Answers written, of which the best is kept."),
    ),
    worked=Computed("Best of 16: at most {0:.3f} nats.", kl_bound, lambda: bound_of(16)),
    source="Stiennon et al. (2020), arXiv:2009.01325; Beirami et al. (2024), arXiv:2401.01879",
)

FORMULAS = (OBJECTIVE, KL, GIBBS, NATURAL_GRADIENT, BEST_OF_N, KL_BOUND)
