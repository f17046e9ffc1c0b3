"""Who tests the tester: small faults seeded into the implementation, of which a strong attack notices most."""
