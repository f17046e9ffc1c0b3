"""The operator assistant: answers from real sources, and changes a SafeLine WAF only with a person's confirmation."""
