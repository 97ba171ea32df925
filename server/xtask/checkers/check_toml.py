"""What CPython says of TOML."""

import re
import sys
import tomllib


def check(path):
    try:
        with open(path, "rb") as file:
            tomllib.load(file)
    except ValueError as error:
        line = re.search(r"at line (\d+)", str(error))
        return f"{line.group(1) if line else 0}\t{error}"
    return "ok"


for line in sys.stdin:
    print(check(line.rstrip("\n")).replace("\n", " "), flush=True)
