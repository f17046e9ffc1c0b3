"""What measures the defences: attacks as data, and what is weak, or stands in for something, on purpose.

- attacks (`attacks.toml`): pages, what each is after, and whether it got that.
- gullible (`orders.toml`): a model without a model, which obeys whatever it reads.
- baseline: research without any gate, `--mode vulnerable`.
- memory: pages without a network.
- trials: every attack in both modes, in memory.
- assistant (`assistant_routing.toml`, `assistant_changes.toml`): routes, answers, and changes that must not happen.
- waf: SafeLine's API in memory.
"""
