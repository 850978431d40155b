"""Strategies: simple ones, charts, card counters, saved policies, and the registry of their names."""
