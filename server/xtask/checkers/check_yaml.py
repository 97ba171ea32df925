"""What ruamel.yaml says of YAML: keys in one mapping have to differ."""

import os
import sys

sys.path.insert(0, os.environ["COMPONENT"])

from ruamel.yaml import YAML  # noqa: E402
from ruamel.yaml.error import MarkedYAMLError  # noqa: E402


def check(path):
    try:
        with open(path, encoding="utf-8") as file:
            for _ in YAML(pure=True).load_all(file):
                pass
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return f"{mark.line + 1 if mark else 0}\t{error.problem}"
    return "ok"


for line in sys.stdin:
    print(check(line.rstrip("\n")).replace("\n", " "), flush=True)
