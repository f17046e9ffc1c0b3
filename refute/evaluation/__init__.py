"""What attacks research, and what is weak on purpose: a gullible model, a baseline without defences, hostile pages.

- attacks (`attacks.toml`): pages, what each is after, and whether it got that.
- gullible (`orders.toml`): a model without a model, which obeys whatever it reads.
- baseline: research without any gate, `--mode vulnerable`.
- memory: pages without a network.
- trials: every attack in both modes, in memory.
"""
