"""One file per revision, applied in the order of their `down_revision`."""
