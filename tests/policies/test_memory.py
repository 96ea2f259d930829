"""Parameter counts against the published totals, and memory against the published figures."""

from __future__ import annotations

from typing import Any

import pytest

from rewardlab.errors import InputError
from rewardlab.policies.memory import (
    ARCHITECTURES,
    GB,
    METHODS,
    Kept,
    bytes_per_parameter,
    kept_gb,
)

PUBLISHED = {  # totals of the published weights
    "Qwen2.5-0.5B": 494_032_768,
    "Qwen2.5-7B": 7_615_616_512,
    "Llama-2-7B": 6_738_415_616,
    "Mistral-7B-v0.1": 7_241_732_096,
    "Llama-3-8B": 8_030_261_248,
    "Llama-3-70B": 70_553_706_496,
}
BY_NAME = {a.name: a for a in ARCHITECTURES}


def test_parameters_are_the_published_totals() -> None:
    assert {a.name: a.parameters for a in ARCHITECTURES} == PUBLISHED


def test_a_scalar_head_replaces_the_output_layer_unless_it_is_the_embedding() -> None:
    llama, qwen = BY_NAME["Llama-2-7B"], BY_NAME["Qwen2.5-0.5B"]
    assert llama.parameters - llama.scalar_parameters == 32000 * 4096 - 4096
    assert qwen.scalar_parameters - qwen.parameters == 896


def test_training_in_mixed_precision_takes_16_bytes_so_that_7_5_billion_take_120_gb() -> None:
    # Rajbhandari et al. (2020), figure 1 and section 3.1: 120 GB, and 24 GB for 1.5 billion.
    assert 7.5e9 * bytes_per_parameter("mixed", trained=True) / GB == 120
    assert 1.5e9 * bytes_per_parameter("mixed", trained=True) / GB == 24


def test_ppo_keeps_four_models_and_the_others_drop_what_they_do_not_need() -> None:
    roles = {name: {kept.role for kept in models} for name, models in METHODS.items()}
    assert roles["PPO"] == {"policy", "critic", "reference", "reward"}
    assert roles["PPO"] - roles["GRPO"] == {"critic"}
    assert roles["PPO"] - roles["DPO"] == {"critic", "reward"}
    assert {k.role for k in METHODS["PPO"] if k.trained} == {"policy", "critic"}


def test_memory_of_one_model_by_hand() -> None:
    llama = BY_NAME["Llama-2-7B"]
    assert kept_gb(llama, Kept("reference", False), "mixed") == pytest.approx(13.4768, abs=1e-4)
    assert kept_gb(llama, Kept("policy", True), "bf16") == pytest.approx(53.9073, abs=1e-4)


def test_an_unknown_precision_is_refused() -> None:
    unknown: Any = "int3"
    with pytest.raises(InputError, match="mixed, bf16, fp32"):
        bytes_per_parameter(unknown, trained=True)
