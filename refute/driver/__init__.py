"""What runs inside the sandbox: standard library, pytest and Hypothesis only; nothing of refute outside this folder.

The contract with the host is `plan.json` in, `results.json` out (`plan.py`). `run_suite.py` supervises; `worker.py` is
the driver: it runs the tests and never imports the implementation; `subject.py` imports it and answers.

- wire, encoder, decoder, plain_values, containers: the connection, plain data, containers
  that both sides hold.
- object_table, made of exports, proxies, class_registry and shared: who is who; writing: the entries of its objects.
- proxy/, base_values, error_transport, known: handles of the other side's classes, objects, exceptions.
- errors: what cannot be carried; unfit: errors that come of stand-ins.
- peer, messages, operations, awaiting, connections: asking and serving, what is sent, coroutines, the subject's start
  and a connection per thread.
- process_state, loggers, random_stream, streams: what both processes share beside objects.
- event_loops: on which coroutines run, and which a test finds.
- subject_client, attestation, callback_policy, admitted, modules, collect: the driver's own: the
  subject, what a result rests on, what the subject may do here, imports, the test file in memory.
- subject_server: the subject's own: its end of the connection, put together.
"""
