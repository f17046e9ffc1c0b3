"""What runs inside the sandbox: standard library, pytest and Hypothesis only; nothing of refute outside this folder.

`run_suite.py` supervises; `worker.py` runs tests in a child process and reports over a pipe. The contract with the
host is `plan.json` in, `results.json` out (`plan.py`); who runs the tests behind it may change without the host
noticing. Here tests and implementation still share the worker's process, so nothing in a result is attested.
"""
