"""The ``bj`` command: one module for each group of commands."""
