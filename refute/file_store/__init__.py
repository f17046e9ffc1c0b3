"""Records as files that only this user, or who has the key, can have written; used for kept runs and kept answers."""
