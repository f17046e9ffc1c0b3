"""What runs inside the sandbox: standard library, pytest and Hypothesis only; nothing of refute outside this folder.

The contract with the host is `plan.json` in, `results.json` out (`plan.py`). `run_suite.py` supervises; `worker.py` is
the driver: it runs the tests and never imports the implementation; `subject.py` imports it and answers.

- wire, codec, shared: messages, plain data, containers that both sides hold.
- objects, mirror/, errors, known: who is who, stand-ins for the other side's objects, classes and exceptions.
- peer, operations, awaiting, switchboard: asking, serving, coroutines, a connection per thread.
- link, door, modules, collect: the driver's own: the subject, what it may do here, imports, the test file in memory.
"""
