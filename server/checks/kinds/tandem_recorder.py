"""A plugin of pytest: writes which functions each test runs, for `test` with `affected`.

pytest-cov measures; this switches its context with each test and each fixture that several tests share.
"""

import ast
import json
import os
import sys

import pytest
import pytest_cov  # noqa: F401  (missing, it is named in the error)
from coverage import Coverage, CoverageData

# What starts other programs. What those run is not measured.
STARTS = {"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec", "os.spawn"}
# The context of what all tests may depend on: imports, fixtures of a session.
SHARED = ""

context = SHARED
# Contexts in the order in which they began.
contexts = {SHARED: 0}
unsure = set()


def switch(to):
    global context
    before, context = context, to
    contexts.setdefault(to, len(contexts))
    coverage = Coverage.current()
    if coverage is not None and before != to:
        try:
            coverage.switch_context(to)
        except Exception:
            # It measures no more.
            unsure.add(to)
    return before


def audit(event, arguments):
    if event in STARTS:
        unsure.add(context)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    name = item.nodeid.partition("::")[2].partition("[")[0]
    before = switch(f"{item.path}::{name}")
    yield
    switch(before)


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef, request):
    if fixturedef.scope == "function":
        yield
        return
    is_of_file = fixturedef.scope in ("class", "module")
    before = switch(context.partition("::")[0] if is_of_file else SHARED)
    yield
    switch(before)


def is_constant(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def functions(node, names):
    """The outermost functions with their names, and the lines of their bodies."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = child.body[0]
            # The line of an overload's `...` runs when it is defined.
            if len(child.body) > 1 or not is_constant(body):
                yield [*names, child.name], body.lineno, child.end_lineno
        elif isinstance(child, ast.ClassDef):
            yield from functions(child, [*names, child.name])
        else:
            yield from functions(child, names)


def recorded(data, path):
    with open(path, "rb") as file:
        tree = ast.parse(file.read())
    lines = data.contexts_by_lineno(path)
    for names, first, last in functions(tree, []):
        ran = {name for line in range(first, last + 1) for name in lines.get(line, ())}
        if ran:
            yield {"names": names, "ran": sorted(contexts.get(name, 0) for name in ran)}


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    folder = os.environ.get("TANDEM_RECORD")
    if not folder or hasattr(config, "workerinput"):
        return
    data = CoverageData(basename=os.environ["COVERAGE_FILE"])
    data.read()
    files = []
    for path in data.measured_files():
        try:
            files.append({"path": path, "functions": list(recorded(data, path))})
        except (OSError, SyntaxError, ValueError):
            # Something that the tests made and deleted.
            continue
    record = {"contexts": list(contexts), "unsure": sorted(contexts[name] for name in unsure), "files": files}
    with open(os.path.join(folder, "record.json"), "w") as file:
        json.dump(record, file)


sys.addaudithook(audit)
