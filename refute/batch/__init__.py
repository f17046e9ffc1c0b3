"""Many tickets as one run: which are in it, who works on which, how far it has come. No database, no orchestrator."""
