"""How a batch runs: opened or resumed, answered for, worked off by threads that share containers, and shown."""
