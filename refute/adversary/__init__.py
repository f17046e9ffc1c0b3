"""The adversary: what writes tests against claims, sorts them out, runs them and says what their results mean."""
