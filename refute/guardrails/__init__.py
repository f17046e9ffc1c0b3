"""Deterministic policy functions where untrusted words could become an action, or reach a person."""

from refute.guardrails.injection import sanitize_retrieved_text, suspicion
from refute.guardrails.pending import build_pending_action, extract_confirmation_nonce, is_pending_action_valid
from refute.guardrails.results import parse_tool_result
from refute.guardrails.routes import parse_supervisor_route
from refute.guardrails.validators import normalize_mode, sanitize_comment, validate_ip_or_cidr

__all__ = [
    "build_pending_action",
    "extract_confirmation_nonce",
    "is_pending_action_valid",
    "normalize_mode",
    "parse_supervisor_route",
    "parse_tool_result",
    "sanitize_comment",
    "sanitize_retrieved_text",
    "suspicion",
    "validate_ip_or_cidr",
]
