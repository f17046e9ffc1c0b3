"""Questions that wait away from the terminal: asked in the Prefect UI, answered there or by `refute confirm`."""
