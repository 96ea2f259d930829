"""Ways to optimise in the lab: what each does, in words, and what can be set."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from rewardlab.errors import InputError
from rewardlab.experiments.lab_policies import LOOSEST_BETA, RunMethod, RunSettings
from rewardlab.experiments.lab_runs import N_MAX, STEP_SIZE
from rewardlab.systems.controls import LARGEST_SEED, Slider

MOST_STEPS = 600


@dataclass(frozen=True, slots=True)
class Method:
    """One way to optimise.

    Attributes:
        key: Its name in settings.
        label: Its name in words.
        about: What it does, in a sentence or two.
        strength_label: What the strength of its path is.
        controls: What can be set; the names are fields of ``RunSettings``.
    """

    key: RunMethod
    label: str
    about: str
    strength_label: str
    controls: tuple[Slider, ...]


def _beta(low: float = 0.0, high: float = 2.0, default: float = 0.0) -> Slider:
    return Slider("beta", "beta, the price of a nat of KL", default, low, high, step=None)


def _step_size(default: float, high: float) -> Slider:
    return Slider("step_size", "step size", default, 0.005, high, log=True)


def _steps(default: int) -> Slider:
    return Slider("n_steps", "steps", default, 1, MOST_STEPS, whole=True)


_SHARED = (
    "The policy has one weight for each feature, as a language model shares its parameters "
    "between answers; with a number of its own for each answer it would hardly ever find the long "
    "ones that fool the reward."
)

METHODS = (
    Method(
        "natural_gradient",
        "Natural gradient (exact)",
        "Every step weighs all 576 answers at once, so there is no luck in it.",
        "step",
        (_beta(), _step_size(STEP_SIZE, 1.0), _steps(400)),
    ),
    Method(
        "grpo",
        "GRPO",
        "Each step draws 8 groups of 8 answers and makes those likelier that score above the mean "
        f"of their group, in units of the group's spread. {_SHARED}",
        "step",
        (_beta(), _step_size(0.3, 1.0), _steps(400)),
    ),
    Method(
        "ppo",
        "PPO",
        "Each step draws 64 answers, compares them with a running mean and uses them four times, "
        f"but moving an answer far at once earns nothing more. {_SHARED}",
        "step",
        (_beta(), _step_size(0.1, 1.0), _steps(400)),
    ),
    Method(
        "reinforce",
        "REINFORCE",
        "Each step draws 8 groups of 8 answers and makes those likelier that score above the mean "
        f"of their group. {_SHARED}",
        "step",
        (_beta(), _step_size(0.3, 1.0), _steps(400)),
    ),
    Method(
        "best_of_n",
        "Best of n",
        "Draws n answers from the reference and keeps the one with the highest learned reward. "
        "Nothing is trained, and the result is computed exactly for every n.",
        "n",
        (Slider("n_max", "largest n", N_MAX, 2, 100_000, log=True, whole=True),),
    ),
    Method(
        "closed_form",
        "Closed form",
        "The best policy for a price of KL has a formula. The path goes from a high beta, where "
        "the policy is the reference, down to the beta that you choose.",
        "1 / beta",
        (_beta(LOOSEST_BETA, 4.0, LOOSEST_BETA),),
    ),
)
"""In the order in which they are offered."""


def method_of(key: str) -> Method:
    """A method by its name in settings.

    Raises:
        InputError: There is no such method.
    """
    for method in METHODS:
        if method.key == key:
            return method
    known = ", ".join(method.key for method in METHODS)
    raise InputError(f"method: expected one of {known}, got {key!r}")


def checked_run(settings: RunSettings) -> RunSettings:
    """The same settings, if what its method uses lies within the ranges of its controls.

    Raises:
        InputError: It does not.
    """
    if not 0 <= settings.seed <= LARGEST_SEED:
        raise InputError(f"seed: expected 0 to {LARGEST_SEED}, got {settings.seed}")
    given = asdict(settings)
    for control in method_of(settings.method).controls:
        control.checked(given[control.name])
    return settings


def default_run(key: RunMethod, **changes: float) -> RunSettings:
    """A method's settings where nothing is changed but what is named."""
    defaults = {control.name: control.default for control in method_of(key).controls}
    given = {**defaults, **changes}
    return RunSettings(
        method=key,
        beta=float(given.get("beta", 0.0)),
        step_size=float(given.get("step_size", STEP_SIZE)),
        n_steps=int(given.get("n_steps", 400)),
        n_max=int(given.get("n_max", N_MAX)),
        seed=int(given.get("seed", 0)),
    )
