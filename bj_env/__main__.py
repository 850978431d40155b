"""``python -m bj_env`` is ``bj``."""

import sys

from bj_env.cli.main import main

sys.exit(main())
