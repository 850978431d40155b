"""Counting, betting and bankroll: what a count is worth, how to bet by it, and what that risks."""
