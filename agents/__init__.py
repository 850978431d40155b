"""The training application: one importable file per learner, run from a checkout by ``train.py``."""
