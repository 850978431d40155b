"""The rules of the game: their vocabulary, each numbered rule once, rule texts and named houses."""
