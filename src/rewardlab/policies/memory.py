"""What each method keeps in memory: how many models, and how many bytes a parameter of each.

PPO with a learned reward holds four models: the policy and the critic, which are trained, and the
reference and the reward model, which only run. GRPO drops the critic, since a group's mean is its
baseline; with a program as reward it drops the reward model too. DPO drops both, since it learns
from stored pairs. A trained model needs its gradients and Adam's two moments beside its weights,
and in mixed precision a second copy of the weights in full precision.

Assumed: the critic and the reward model have the policy's size, with one output in place of the
vocabulary; every parameter is trained; nothing is sharded or offloaded. Left out, as they depend on
batch and length and not on the method: activations, the cache of generation, and buffers.

Source: Rajbhandari et al. (2020), section 3.1, arXiv:1910.02054, for bytes a parameter; Ouyang et
al. (2022), arXiv:2203.02155, Shao et al. (2024), arXiv:2402.03300, and Rafailov et al. (2023),
arXiv:2305.18290, for the models of each method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from rewardlab.errors import InputError

GB = 1e9
"""Bytes in the unit of the figures."""

Precision = Literal["mixed", "bf16", "fp32"]
Role = Literal["policy", "critic", "reference", "reward"]


@dataclass(frozen=True, slots=True)
class Architecture:
    """A decoder with gated feed-forward layers and grouped attention, as its published config says.

    Attributes:
        name: Of the published model.
        vocabulary: Tokens.
        width: Of the residual stream.
        layers: How many.
        feed_forward: Inner width of the feed-forward layers.
        heads: Attention heads for queries; each is width / heads wide.
        kv_heads: Attention heads for keys and values.
        attention_bias: True if queries, keys and values have a bias.
        tied: True if the output layer is the embedding.
    """

    name: str
    vocabulary: int
    width: int
    layers: int
    feed_forward: int
    heads: int
    kv_heads: int
    attention_bias: bool = False
    tied: bool = False

    @property
    def body_parameters(self) -> int:
        """Parameters of the embedding, all layers and the last normalisation."""
        kv_width = self.width // self.heads * self.kv_heads
        attention = 2 * self.width * (self.width + kv_width)
        bias = self.width + 2 * kv_width if self.attention_bias else 0
        gated = 3 * self.width * self.feed_forward
        norms = 2 * self.width
        layer = attention + bias + gated + norms
        return self.vocabulary * self.width + self.layers * layer + self.width

    @property
    def parameters(self) -> int:
        """Parameters of the language model."""
        return self.body_parameters + (0 if self.tied else self.vocabulary * self.width)

    @property
    def scalar_parameters(self) -> int:
        """Parameters with a single output, as of a critic or a reward model."""
        return self.body_parameters + self.width


ARCHITECTURES = (
    Architecture("Qwen2.5-0.5B", 151936, 896, 24, 4864, 14, 2, attention_bias=True, tied=True),
    Architecture("Qwen2.5-7B", 152064, 3584, 28, 18944, 28, 4, attention_bias=True),
    Architecture("Llama-2-7B", 32000, 4096, 32, 11008, 32, 32),
    Architecture("Mistral-7B-v0.1", 32000, 4096, 32, 14336, 32, 8),
    Architecture("Llama-3-8B", 128256, 4096, 32, 14336, 32, 8),
    Architecture("Llama-3-70B", 128256, 8192, 80, 28672, 64, 8),
)
"""Published configurations (config.json of each model)."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A model that a method keeps.

    Attributes:
        role: What it is for.
        trained: True if it is trained.
    """

    role: Role
    trained: bool


_POLICY, _CRITIC = Kept("policy", True), Kept("critic", True)
_REFERENCE, _REWARD = Kept("reference", False), Kept("reward", False)
METHODS: dict[str, tuple[Kept, ...]] = {
    "PPO": (_POLICY, _CRITIC, _REFERENCE, _REWARD),
    "GRPO": (_POLICY, _REFERENCE, _REWARD),
    "GRPO with a program": (_POLICY, _REFERENCE),
    "DPO": (_POLICY, _REFERENCE),
}
"""The models of each method, with the KL to a reference."""


def bytes_per_parameter(precision: Precision, *, trained: bool) -> int:
    """Bytes for one parameter: its weight and, if trained, its gradient and Adam's states.

    mixed: weight and gradient of 2, full-precision weight 4, moments 4 + 4: 16, and 2 if not
    trained. bf16: moments in bf16 too, and no second copy: 8, and 2. fp32: 16, and 4.

    Raises:
        InputError: There is no such precision.
    """
    match precision:
        case "mixed":
            return 2 + 2 + 4 + 4 + 4 if trained else 2
        case "bf16":
            return 2 + 2 + 2 + 2 if trained else 2
        case "fp32":
            return 4 + 4 + 4 + 4 if trained else 4
        case _:
            raise InputError(
                f"precision: expected one of {', '.join(get_args(Precision))}, got {precision!r}"
            )


def kept_gb(architecture: Architecture, kept: Kept, precision: Precision) -> float:
    """Memory of one model with its gradients and optimiser states, in GB of 1e9 bytes."""
    scalar = kept.role in ("critic", "reward")
    count = architecture.scalar_parameters if scalar else architecture.parameters
    return count * bytes_per_parameter(precision, trained=kept.trained) / GB
