"""The calls whose effects a row of the tables cannot say, by subject."""
