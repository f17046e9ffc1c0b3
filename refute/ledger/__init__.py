"""The durable table of outcomes, and the cost table drawn from it."""
