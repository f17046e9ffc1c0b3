"""The stages of a ticket's way through the pipeline: each takes records and returns a record or a `Stop`."""
