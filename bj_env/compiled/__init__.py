"""The compiled engine: many tables at once, equal round for round to the readable one. Importing it imports numba."""
