"""Calls of models for tests that care about what they cost."""

from decimal import Decimal

from refute.ledger.accounts import ModelCall


def fake_call(
    cost_usd: Decimal | None, *, model: str = "m", ending: str = "complete", latency_s: float = 0.5
) -> ModelCall:
    """A call that was answered; None: its model has no price."""
    return ModelCall(
        purpose="claims-first/1",
        tier="flash",
        model=model,
        prompt_digest="0" * 64,
        data_class="claims",
        ending=ending,
        input_tokens=10,
        cached_tokens=0,
        output_tokens=5,
        thinking_tokens=0,
        cost_usd=cost_usd,
        latency_s=latency_s,
    )
