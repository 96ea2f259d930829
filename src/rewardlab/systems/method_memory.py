"""C5, method memory: what PPO keeps in memory, and what GRPO and DPO drop."""

from __future__ import annotations

from typing import cast

from rewardlab.plots.bar_chart import Bar
from rewardlab.plots.chart import BarChart
from rewardlab.policies.memory import (
    ARCHITECTURES,
    METHODS,
    Precision,
    bytes_per_parameter,
    kept_gb,
)
from rewardlab.systems.controls import Choice
from rewardlab.systems.declaration import Answer, Quantity, Question, Result, System
from rewardlab.systems.drawing import row_table

_BY_NAME = {architecture.name: architecture for architecture in ARCHITECTURES}
_SLUGS = {"PPO": "ppo", "GRPO": "grpo", "GRPO with a program": "grpo_program", "DPO": "dpo"}
_LABELS = {
    "policy": "policy, trained",
    "critic": "critic, trained",
    "reference": "reference, frozen",
    "reward": "reward model, frozen",
}


def run(model: str = "Llama-2-7B", precision: str = "mixed") -> Result:
    """Memory of each method's models, in GB.

    Args:
        model: A published configuration.
        precision: Of weights, gradients and optimiser states.
    """
    architecture = _BY_NAME[model]
    chosen = cast(Precision, precision)  # a control's values are plain strings
    parts = {
        method: [(_LABELS[kept.role], kept_gb(architecture, kept, chosen)) for kept in models]
        for method, models in METHODS.items()
    }
    totals = {method: sum(gb for _, gb in models) for method, models in parts.items()}
    in_bytes = {
        name: float(bytes_per_parameter(chosen, trained=name == "trained"))
        for name in ("trained", "frozen")
    }
    savings = {method: 1 - totals[method] / totals["PPO"] for method in ("GRPO", "DPO")}
    billions = architecture.parameters / 1e9
    return Result(
        sentence=(
            f"For {model} ({billions:.2f} billion parameters) PPO keeps {totals['PPO']:,.0f} GB in "
            f"{len(parts['PPO'])} models; GRPO drops the critic and keeps {totals['GRPO']:,.0f}; "
            "DPO, or GRPO with a program as reward, drops the reward model too and keeps "
            f"{totals['DPO']:,.0f}."
        ),
        quantities=(
            Quantity("parameters", "parameters of the model", billions, "billion"),
            *(
                Quantity(f"bytes_{name}", f"for each parameter of a {name} model", size, "bytes")
                for name, size in in_bytes.items()
            ),
            *(
                Quantity(f"{_SLUGS[method]}_gb", f"{method} keeps", total, "GB")
                for method, total in totals.items()
            ),
            *(
                Quantity(
                    f"{_SLUGS[method]}_saving", f"what {method} saves of PPO's", saved, "share"
                )
                for method, saved in savings.items()
            ),
        ),
        chart=BarChart(
            tuple(
                Bar(
                    label,
                    gb,
                    tone="proxy" if label.endswith("trained") else "other",
                    group=f"{method}: {totals[method]:,.0f} GB",
                )
                for method, models in parts.items()
                for label, gb in models
            ),
            "memory for weights, gradients and optimiser, GB",
        ),
        table=row_table(
            ("method", "model", "GB"),
            ((method, *kept) for method, models in parts.items() for kept in models),
        ),
    )


def _saved_by_grpo() -> Answer:
    result = run()
    saving = result.value("grpo_saving")
    ratio = result.value("bytes_trained") / result.value("bytes_frozen")
    choice = 0 if saving < 0.15 else (1 if saving < 0.35 else 2)
    return Answer(
        choice,
        f"{saving:.0%}: of PPO's {result.value('ppo_gb'):.0f} GB, GRPO keeps "
        f"{result.value('grpo_gb'):.0f}. The critic is one model of four, but a trained one, and "
        f"those take {ratio:g} times the memory of frozen ones here.",
    )


SYSTEM = System(
    row="C5",
    name="method-memory",
    title="What each method keeps in memory",
    sentence="PPO keeps four models, two of them trained; GRPO and DPO drop what costs most.",
    paragraph=(
        "PPO with a learned reward holds the policy, a critic that predicts the reward, a frozen "
        "copy of the start and the reward model. What is trained needs far more than its "
        "weights: gradients, two running averages of Adam and, in mixed precision, a second copy "
        "in full precision, 16 bytes a parameter in all against 2 for a frozen model. GRPO takes "
        "a group's mean in place of the critic; a program that checks answers replaces the reward "
        "model; DPO learns from stored pairs and needs neither. Counted from published "
        "configurations, with critic and reward model as large as the policy. Not counted: "
        "activations and what generation needs, which depend on batch and length."
    ),
    controls=(
        Choice("model", "model", "Llama-2-7B", {name: name for name in _BY_NAME}),
        Choice(
            "precision",
            "precision of training",
            "mixed",
            {
                "mixed": "mixed: bf16 with full-precision copy and Adam",
                "bf16": "all in bf16",
                "fp32": "all in full precision",
            },
        ),
    ),
    run=run,
    questions=(
        Question(
            "GRPO drops one of PPO's four models, the critic. How much of the memory is saved?",
            ("Less than 15%", "About a quarter", "More than 35%"),
            _saved_by_grpo,
        ),
    ),
    sources=(
        "Rajbhandari et al. (2020), arXiv:1910.02054",
        "Ouyang et al. (2022), arXiv:2203.02155",
        "Shao et al. (2024), arXiv:2402.03300",
        "Rafailov et al. (2023), arXiv:2305.18290",
    ),
)
