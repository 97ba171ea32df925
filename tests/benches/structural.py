"""Structural search and replace beside ast-grep's own program, in one run: time, and equal results.

    python tests/benches/structural.py TANDEM AST_GREP FOLDER... [--work DIR] [--runs N]

Each case runs on a copy of each folder, with warm caches. ast-grep is its program (package ast-grep-cli);
Tandem is a running `tandem mcp`, as an agent has it, which keeps nothing of a case from run to run: files are
read and parsed in every call. Search: every match as JSON, or a dry run. Replace: files are written; Tandem
also parses each result, writes its journal and history, and puts the change back with `undo_action`. Times are
medians. At the end both trees are compared byte by byte.
"""

import argparse
import filecmp
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

CASES = [
    ("python", {"pattern": "isinstance($A, $B)", "rewrite": "is_instance($A, $B)"}),
    ("python", {"pattern": "raise $E($$$ARGS)", "rewrite": "raise wrapped($E, $$$ARGS)"}),
    (
        "python",
        {
            "rule": {
                "rule": {"pattern": "self.$F($$$ARGS)", "inside": {"kind": "for_statement", "stopBy": "end"}},
                "constraints": {"F": {"regex": "^[a-m]"}},
                "fix": "self.checked_$F($$$ARGS)",
            }
        },
    ),
    ("typescript", {"pattern": "$A === undefined", "rewrite": "isUndefined($A)"}),
    (
        "typescript",
        {
            "rule": {
                "rule": {
                    "all": [
                        {"kind": "call_expression"},
                        {"pattern": "$F($$$ARGS)"},
                        {"not": {"has": {"kind": "arrow_function", "stopBy": "end"}}},
                        {"inside": {"kind": "return_statement"}},
                    ]
                },
                "constraints": {"F": {"kind": "identifier"}},
                "fix": "called($F, [$$$ARGS])",
            }
        },
    ),
    ("rust", {"pattern": "$X.unwrap()", "rewrite": '$X.expect("checked")'}),
    (
        "rust",
        {
            "rule": {
                "rule": {
                    "pattern": "Some($A)",
                    "any": [{"inside": {"kind": "match_arm"}}, {"inside": {"kind": "block", "stopBy": "end"}}],
                },
                "fix": "Just($A)",
            }
        },
    ),
    ("java", {"pattern": "Objects.requireNonNull($A)", "rewrite": "checkNotNull($A)"}),
]
SUFFIXES = {"python": {".py"}, "typescript": {".ts"}, "rust": {".rs"}, "java": {".java"}}


class Tandem:
    """A running `tandem mcp` of a folder."""

    def __init__(self, program, folder, home):
        env = os.environ | {"XDG_STATE_HOME": str(home / "state"), "XDG_CACHE_HOME": str(home / "cache")}
        env["XDG_CONFIG_HOME"] = str(home / "config")
        command = [program, "mcp", "--headless", "--workspace", str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
        self.number = 0
        client = {"name": "bench", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})
        # Indexing ends before anything is measured.
        self.call("find_symbol", {"name_path": "no_such_symbol_at_all"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                return answer["result"]

    def call(self, tool, arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        return result.get("isError", False), result.get("structuredContent") or result["content"][0]["text"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def ast_grep(program, language, case, folder, update):
    """Runs ast-grep's program; returns the number of matches, if it prints them."""
    if "rule" in case:
        rule = {"id": "bench", "language": language} | case["rule"]
        command = [program, "scan", "--inline-rules", json.dumps(rule)]
    else:
        command = [program, "run", "-l", language, "-p", case["pattern"], "-r", case["rewrite"]]
    command += ["-U"] if update else ["--json=compact"]
    done = subprocess.run([*command, str(folder)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{command}: {done.stderr}")
    return None if update else len(json.loads(done.stdout or "[]"))


def timed(work, runs):
    """The median time of a piece of work in milliseconds, and its last result."""
    times, result = [], None
    for _ in range(runs):
        before = time.perf_counter()
        result = work()
        times.append((time.perf_counter() - before) * 1000)
    return statistics.median(times), result


def copy(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)


def differing(one, other):
    """The files of two trees that differ."""
    files = [path.relative_to(one) for path in one.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path for path in files if not filecmp.cmp(one / path, other / path, shallow=False)]


def lines_of(folder, suffixes):
    files = [path for path in folder.rglob("*") if path.suffix in suffixes and path.is_file()]
    return len(files), sum(path.read_bytes().count(b"\n") for path in files)


def measure(options, folder):
    theirs, ours = options.work / "ast-grep", options.work / "tandem"
    for language, case in CASES:
        files, lines = lines_of(folder, SUFFIXES[language])
        if files < 20:
            continue
        copy(folder, theirs)
        copy(folder, ours)
        parameters = case | {"language": language}
        tandem = Tandem(options.tandem, ours, options.work / "home")
        their_search, found = timed(lambda: ast_grep(options.ast_grep, language, case, theirs, False), options.runs)
        our_search, (failed, dry) = timed(
            lambda: tandem.call("structural_replace", parameters | {"dry_run": True}), options.runs
        )
        name = json.dumps(case.get("pattern") or case["rule"]["rule"])[:48]
        if failed:
            print(f"| {folder.name}, {language} | `{name}` | {dry[:80] if isinstance(dry, str) else dry} |")
            tandem.end()
            continue
        times = []
        for run in range(options.runs):
            if run:
                copy(folder, theirs)
            times.append(timed(lambda: ast_grep(options.ast_grep, language, case, theirs, True), 1)[0])
        their_replace = statistics.median(times)
        times = []
        for run in range(options.runs):
            if run:
                undone, text = tandem.call("undo_action", {"action": done["action"]})
                assert not undone, text
            spent, (failed, done) = timed(lambda: tandem.call("structural_replace", parameters), 1)
            assert not failed, done
            times.append(spent)
        our_replace = statistics.median(times)
        tandem.end()
        wrong = differing(theirs, ours)
        nested = done.get("nested", 0)
        print(
            f"| {folder.name}, {language}, {files} files, {lines} lines | `{name}` | {found}"
            f" | {dry['count'] + nested} | {their_search:.0f} | {our_search:.0f} | {their_replace:.0f}"
            f" | {our_replace:.0f} | {'equal' if not wrong else f'{len(wrong)} files differ: {wrong[0]}'} |",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tandem")
    parser.add_argument("ast_grep")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--work", type=Path, default=Path("/tmp/structural-bench"))
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    print("| tree | pattern or rule | matches of ast-grep | of tandem | search ms: ast-grep | tandem "
          "| replace ms: ast-grep | tandem | trees |\n|---|---|---|---|---|---|---|---|---|")
    for folder in options.folders:
        measure(options, folder)


main()
