"""Imported by the process that the others are forked from: what a first run loads and compiles, it has then."""

import contextlib
import io
import tempfile

import train
from tests.small_learner import SETS, SmallLearner

make_learner, train.make_learner = train.make_learner, SmallLearner  # type: ignore[assignment]
with tempfile.TemporaryDirectory() as runs, contextlib.redirect_stdout(io.StringIO()):
    train.main(["--runs", runs, *SETS])
train.make_learner = make_learner
