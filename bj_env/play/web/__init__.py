"""The table in the browser, ``bj table``."""
