"""Stand-ins for objects and classes of the other process, so that a test sees what it would see in one process."""
