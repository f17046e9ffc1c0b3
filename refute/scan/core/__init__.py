"""What both languages share: symbolic text, places, hosts, tables, effects, and the judge of them."""
