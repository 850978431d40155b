"""The readable engine: cards, shoe, hands, the order of a round, tables, events and round notation."""
