"""What expat says of XML."""

import sys
from xml.parsers import expat


def check(path):
    try:
        with open(path, "rb") as file:
            expat.ParserCreate().ParseFile(file)
    except expat.ExpatError as error:
        return f"{error.lineno}\t{expat.ErrorString(error.code)}"
    return "ok"


for line in sys.stdin:
    print(check(line.rstrip("\n")).replace("\n", " "), flush=True)
