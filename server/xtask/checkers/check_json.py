"""What CPython says of JSON; names in one object have to differ."""

import json
import sys


def differ(pairs):
    names = {name for name, _ in pairs}
    if len(names) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def check(path):
    try:
        with open(path, encoding="utf-8") as file:
            json.load(file, object_pairs_hook=differ)
    except json.JSONDecodeError as error:
        return f"{error.lineno}\t{error.msg}"
    except ValueError as error:
        return f"0\t{error}"
    return "ok"


for line in sys.stdin:
    print(check(line.rstrip("\n")).replace("\n", " "), flush=True)
