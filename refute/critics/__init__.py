"""Critics: independent readers of a change whose only job is to find failures. Opinion alone decides nothing.

- focus: what a critic looks for, and which critics a ticket gets.
- record: a review, its failures, and how far each is confirmed.
- answer: a model's answer, read strictly; a verdict that contradicts its failures is corrected by them.
- material: what a critic is shown, and whether the evidence that it names is there.
- prompting: the question of each focus, and the later one for a remedy.
- counterexamples: failures' tests as an attack like any other.
- judging: what reviews mean for the ticket.
"""
