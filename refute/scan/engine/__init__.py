"""The engine: acts on the effects of both languages, and reads what one hands to the other."""
