"""The Gymnasium environment ``Blackjack-multi-v0``."""
