"""What the results of tests mean: triage of each, conclusions for each claim, reproducers to show them."""
