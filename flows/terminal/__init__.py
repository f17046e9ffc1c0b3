"""What a person at a terminal sees and is asked. All of it goes to stderr; stdout carries data."""
