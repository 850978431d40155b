"""The table in the terminal, ``bj play``."""
