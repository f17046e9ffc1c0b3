"""The stages of a ticket as Prefect tasks: their retries, timeouts and cache; the flow composes what they run."""
