"""Measurement: the exact value of a policy, benchmarks with intervals, pictures of both."""
