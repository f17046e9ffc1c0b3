"""How outcomes are shown: terminal tables, Markdown, JUnit XML, JSON, Prefect artifacts."""
