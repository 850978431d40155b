"""What pytest leaves out: modules whose library is installed in an environment of its own, see docs/cluster.md."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("ray") else ["bj_env/compiled/cluster.py"]
