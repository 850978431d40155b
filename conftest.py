"""What pytest leaves out: modules whose library is not installed, as Ray's, which needs an environment of its own."""

from importlib.util import find_spec

NEEDS = {
    "ray": ["bj_env/compiled/cluster.py", "agents/run/ray_tasks.py", "bj_env/rllib.py", "agents/rllib_ppo.py"],
    "minari": ["bj_env/analysis/dataset.py"],
}
collect_ignore = [file for library, files in NEEDS.items() if not find_spec(library) for file in files]
