"""Hypothesis: the same examples in every run, and no deadline on a busy machine."""

from hypothesis import HealthCheck, settings

collect_ignore = ["warm_small_learner.py"]
"""It trains when it is imported, which is for the process that others are forked from alone."""

settings.register_profile(
    "tests",
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("tests")
