-- Runs once, on an empty volume. Prefect makes its own tables and wants pg_trgm; refute's ledger is a database beside it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE DATABASE ledger;
