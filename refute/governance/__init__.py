"""The gate N2.5: policy, the document it returns, signed verdicts; and the checks of a design document."""
