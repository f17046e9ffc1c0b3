"""Calling models: what is asked, what it costs, and who pays; only Gemini's enterprise endpoint is ever called."""
