"""The oracle vote: is a failing test of a model's right about what its claim demands? See ADR 16."""
