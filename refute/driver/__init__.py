"""What runs inside the sandbox: standard library, pytest and Hypothesis only; nothing of refute outside this folder.

The contract with the host is `plan.json` in, `results.json` out (`plan.py`). `run_suite.py` supervises; `worker.py` is
the driver: it runs the tests and never imports the implementation; `subject.py` imports it and answers.

- wire, with what may go wrong, codec, values, containers: the connection, plain data, containers that both sides hold.
- object_table, made of handles, class_registry and containers: who is who, and the entries of its objects.
- proxy/, error_transport, known: handles of the other side's classes, objects, exceptions.
- exceptions: what one tells, and whether it comes of a proxy.
- peer, messages, operations, awaiting, connections: asking and serving, what is sent, coroutines and the event loops
  on which they run, the subject's start, its streams and a connection per thread.
- process_state, settings: what both processes share beside objects.
- subject_client, attestation, callback_policy, modules, reporter: the driver's own: the subject, what a
  result rests on, what the subject may do here, imports, pytest with the test file in memory.
- subject_server: the subject's own: its end of the connection, put together.
"""
