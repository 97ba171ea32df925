"""Runs diff-match-patch and aider's edit blocks over cases; writes what they made.

Arguments: the cases, what they made, diff_match_patch.py, editblock_coder.py; the last two may
be empty.
"""

import ast
import importlib.util
import json
import sys


def edit_blocks(path):
    """The matching functions of aider, without the rest of it."""
    if not path:
        return None
    tree = ast.parse(open(path).read())
    names = {}
    exec("import difflib, math, re, sys\nfrom difflib import SequenceMatcher\nfrom pathlib import Path", names)
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.FunctionDef)):
            try:
                exec(compile(ast.Module(body=[node], type_ignores=[]), path, "exec"), names)
            except NameError:
                pass  # Needs the rest of aider; the matching does not.
    return names["replace_most_similar_chunk"]


def match_patch(path):
    if not path:
        return None
    spec = importlib.util.spec_from_file_location("diff_match_patch", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    engine = module.diff_match_patch()
    engine.Diff_Timeout = 0.2

    def run(text, old, new, line):
        patches = engine.patch_make(old, new)
        at = 0 if line is None else len("".join(text.splitlines(True)[: line - 1]))
        for patch in patches:
            patch.start1 += at
            patch.start2 += at
        made, applied = engine.patch_apply(patches, text)
        return made if all(applied) else None

    return run


def guarded(run, *args):
    try:
        return run(*args) if run else None
    except Exception:
        return None


dmp, aider = match_patch(sys.argv[3]), edit_blocks(sys.argv[4])
made = []
for text, old, new, line in json.load(open(sys.argv[1])):
    made.append([guarded(dmp, text, old, new, line), guarded(aider, text, old, new)])
json.dump(made, open(sys.argv[2], "w"))
