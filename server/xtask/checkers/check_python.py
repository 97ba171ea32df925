"""What CPython says of Python."""

import ast
import sys
import warnings

warnings.simplefilter("ignore")


def check(path):
    try:
        with open(path, "rb") as file:
            ast.parse(file.read())
    except SyntaxError as error:
        return f"{error.lineno or 0}\t{error.msg}"
    except ValueError as error:
        return f"0\t{error}"
    return "ok"


for line in sys.stdin:
    print(check(line.rstrip("\n")).replace("\n", " "), flush=True)
