"""What models were asked in a stage, summed by model."""

from collections.abc import Sequence

from refute.llm.model import Completion, Usage
from refute.llm.pricing import total
from refute.outcome import ModelUse


def models_used(completions: Sequence[Completion]) -> tuple[ModelUse, ...]:
    """Calls summed by model, in the order of their first answers."""
    used = []
    for model, server in dict.fromkeys(_answerer(completion) for completion in completions):
        ours = [completion for completion in completions if _answerer(completion) == (model, server)]
        paid = [completion for completion in ours if not completion.from_cache]
        usage = sum((completion.reply.usage for completion in paid), Usage())
        used.append(
            ModelUse(
                model=model,
                calls=len(paid),
                cached_answers=len(ours) - len(paid),
                input_tokens=usage.input_tokens,
                cached_tokens=usage.cached_tokens,
                output_tokens=usage.output_tokens,
                thinking_tokens=usage.thinking_tokens,
                cost_usd=total(completion.cost_usd for completion in ours),
                latency_s=round(sum(completion.latency_s for completion in ours), 3),
                local_server=server,
            )
        )
    return tuple(used)


def _answerer(completion: Completion) -> tuple[str, str]:
    return completion.reply.model, completion.reply.local_server


def added(*uses: Sequence[ModelUse]) -> tuple[ModelUse, ...]:
    """What several stages used, by model and who answered for it."""
    found: dict[tuple[str, str], ModelUse] = {}
    for one in (one for stage in uses for one in stage):
        key = (one.model, one.local_server)
        so_far = found.get(key)
        found[key] = one if so_far is None else _sum(so_far, one)
    return tuple(found.values())


def _sum(one: ModelUse, other: ModelUse) -> ModelUse:
    return ModelUse(
        model=one.model,
        calls=one.calls + other.calls,
        cached_answers=one.cached_answers + other.cached_answers,
        input_tokens=one.input_tokens + other.input_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        thinking_tokens=one.thinking_tokens + other.thinking_tokens,
        cost_usd=total([one.cost_usd, other.cost_usd]),
        latency_s=round(one.latency_s + other.latency_s, 3),
        local_server=one.local_server,
    )
