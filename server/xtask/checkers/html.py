"""What html5lib says of HTML, by the parser of the standard."""

import os
import sys

sys.path.insert(0, os.environ["COMPONENT"])

import html5lib  # noqa: E402

# A part of a page has no doctype, and names of elements and attributes are free.
TAKEN = {
    "expected-doctype-but-got-start-tag",
    "expected-doctype-but-got-chars",
    "expected-doctype-but-got-eof",
    "expected-doctype-but-got-end-tag",
    "unknown-doctype",
    "non-void-element-with-trailing-solidus",
}


def check(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    is_page = "<html" in text[:4000].lower() or "<!doctype" in text[:200].lower()
    parser = html5lib.HTMLParser(strict=False)
    (parser.parse if is_page else parser.parseFragment)(text)
    for (line, _), code, details in parser.errors:
        if code not in TAKEN:
            return f"{line}\t{code} {details}"
    return "ok"


for line in sys.stdin:
    print(check(line.rstrip("\n")).replace("\n", " "), flush=True)
