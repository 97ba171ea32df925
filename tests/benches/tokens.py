"""What ten tasks cost a model in tokens: Tandem's tools, a shell, and other MCP servers.

    python tests/benches/tokens.py TANDEM [--server NAME=COMMAND]... [--work DIR] [--show]

Each task is done on a fresh copy of a real project, in the way a practised agent would do it with the tools at
hand, and the resulting files are checked. Counted are the calls, and the tokens (o200k_base, by tiktoken) of
each call's name and arguments as JSON and of its result as Claude Code passes it to the model: the structured
content as JSON if there is one, else the text. A shell's result is what a terminal shows. The lists of tools
are counted apart: a model reads them once a session.

COMMAND of a server has {} for the project's folder. Needs git, npm, pip, and the Python packages tiktoken,
pytest, debugpy and flask.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import tiktoken

PYTHON_PROJECTS = ["flask==3.1.2", "requests==2.32.5"]
NPM_PROJECTS = ["zod@4.1.12"]
# The client that most agents resemble: it passes on structured content in place of the text.
CLIENT = "claude-code"
MCP_VERSION = "2025-06-18"

# tiktoken's own file of the encoding, which the npm package js-tiktoken holds in another form.
ENCODING = "o200k_base"
ENCODING_URL = f"https://openaipublic.blob.core.windows.net/encodings/{ENCODING}.tiktoken"
ENCODING_PACKAGE = "js-tiktoken@1.0.21"


def load_encoding(work):
    """The encoding, with its file made from a package: only registries are asked."""
    cache = work / "encoding"
    file = cache / hashlib.sha1(ENCODING_URL.encode()).hexdigest()
    if not file.exists():
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "-s", ENCODING_PACKAGE], cwd=cache, check=True, stdout=subprocess.DEVNULL)
        member = f"package/dist/ranks/{ENCODING}.js"
        archive = next(cache.glob("*.tgz"))
        source = subprocess.check_output(["tar", "xOf", archive, member], text=True)
        written = re.search(r'"?bpe_ranks"?\s*:\s*("(?:[^"\\]|\\.)*")', source)[1]
        ranks = []
        # Each line is `! FIRST_RANK TOKEN...`.
        for line in filter(None, json.loads(written).split("\n")):
            _, first, *words = line.split(" ")
            ranks += enumerate(words, int(first))
        # tiktoken checks the file's hash.
        file.write_text("".join(f"{word} {rank}\n" for rank, word in sorted(ranks)))
    os.environ["TIKTOKEN_CACHE_DIR"] = str(cache)
    return tiktoken.get_encoding(ENCODING)


encoding = None


def tokens(text):
    return len(encoding.encode(text, disallowed_special=()))


class Counted:
    """Calls and tokens of one way to do a task."""

    def __init__(self, show):
        self.calls, self.sent, self.received, self.show = 0, 0, 0, show

    def count(self, name, arguments, result):
        self.calls += 1
        self.sent += tokens(name + json.dumps(arguments, ensure_ascii=False))
        self.received += tokens(result)
        if self.show:
            print(f"\n>>> {name} {json.dumps(arguments, ensure_ascii=False)}")
            print(textwrap.indent(result, "    "))
        return result

    @property
    def total(self):
        return self.sent + self.received


class Shell(Counted):
    def __init__(self, folder, show):
        super().__init__(show)
        self.folder = folder

    def __call__(self, command):
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, text=True, capture_output=True, timeout=120
        )
        result = (done.stdout + done.stderr).rstrip("\n")
        if done.returncode:
            result += f"\nexit code {done.returncode}"
        return self.count("bash", {"command": command}, result)

    def close(self):
        pass


class Server(Counted):
    """An MCP server over stdio."""

    def __init__(self, command, folder, show):
        super().__init__(show)
        line = [part.replace("{}", str(folder)) for part in command]
        self.process = subprocess.Popen(
            line, cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.next_id = 0
        info = {"name": CLIENT, "version": "1"}
        capabilities = {"elicitation": {}, "roots": {}}
        params = {"protocolVersion": MCP_VERSION, "capabilities": capabilities, "clientInfo": info}
        self.folder = folder
        self.request("initialize", params)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.next_id += 1
        self.send({"id": self.next_id, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError("the server ended")
            message = json.loads(line)
            if message.get("method") == "elicitation/create":
                properties = message["params"]["requestedSchema"]["properties"]
                answer = {name: value["enum"][0] for name, value in properties.items()}
                result = {"action": "accept", "content": answer}
                self.send({"id": message["id"], "result": result})
            elif message.get("method") == "roots/list":
                roots = [{"uri": Path(self.folder).as_uri()}]
                self.send({"id": message["id"], "result": {"roots": roots}})
            elif message.get("id") == self.next_id and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"])
                return message["result"]

    def __call__(self, name, **arguments):
        result = self.request("tools/call", {"name": name, "arguments": arguments})
        if result.get("structuredContent") is not None:
            text = json.dumps(result["structuredContent"], ensure_ascii=False)
        else:
            text = "\n".join(part.get("text", "") for part in result["content"])
        if result.get("isError"):
            raise RuntimeError(f"{name} {arguments}: {text}")
        return self.count(name, arguments, text)

    def list_cost(self):
        tools = self.request("tools/list", {})["tools"]
        # What a model sees of a tool.
        seen = [{key: tool.get(key) for key in ("name", "description", "inputSchema")} for tool in tools]
        return len(tools), tokens(json.dumps(seen, ensure_ascii=False))

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def read(folder, path):
    return (folder / path).read_text()


PYTEST = "python -m pytest -q -p no:cacheprovider"
# The package under test is the one of the folder.
ENV = "PYTHONPATH=src PYTHONDONTWRITEBYTECODE=1"


class Find:
    """Who calls Flask.make_response?"""

    name, project = "find the callers of a method", "flask"

    def shell(self, sh):
        sh("grep -rn 'make_response(' src")

    def tandem(self, call):
        call("find_referencing_symbols", name_path="Flask/make_response", path="src/flask/app.py")

    def serena(self, call):
        call("find_referencing_symbols", name_path="Flask/make_response", relative_path="src/flask/app.py")

    def check(self, folder):
        pass


class Rename:
    name, project = "rename a function used in 46 files", "zod"

    def shell(self, sh):
        sh("grep -rnw joinValues src | head -20; grep -rlw joinValues src/v4 | wc -l")
        sh("grep -rlw joinValues src/v4 | xargs sed -i 's/\\bjoinValues\\b/joinAll/g' && git diff --stat | tail -1")

    def tandem(self, call):
        call("rename_symbol", name_path="joinValues", path="src/v4/core/util.ts", new_name="joinAll")

    def serena(self, call):
        call("rename_symbol", name_path="joinValues", relative_path="src/v4/core/util.ts", new_name="joinAll")

    def check(self, folder):
        assert "util.joinAll(issue.values" in read(folder, "src/v4/locales/en.ts")
        assert "joinValues" in read(folder, "src/v3/locales/en.ts"), "another function of this name"


class Replace:
    name, project = "replace a text by pattern in 45 files", "zod"
    pattern = r"import \* as util from"

    def shell(self, sh):
        sh("grep -rlE 'import \\* as util from' src/v4/locales | wc -l")
        sh("grep -rlE 'import \\* as util from' src/v4/locales | xargs sed -i -E "
           "'s/import \\* as util from/import * as helpers from/' && git diff --stat | tail -1")

    def tandem(self, call):
        call("replace_in_files", pattern="import * as util from", replacement="import * as helpers from",
             literal=True, path="src/v4/locales")

    def serena(self, call):
        call("replace_in_files", needle="import * as util from", repl="import * as helpers from",
             mode="literal", relative_path="src/v4/locales")

    def check(self, folder):
        assert "import * as helpers from" in read(folder, "src/v4/locales/en.ts")


class AddParameter:
    name, project = "add a parameter and pass it", "requests"
    old_head = 'def get_encoding_from_headers(headers):'
    new_head = 'def get_encoding_from_headers(headers, default=None):'

    def shell(self, sh):
        sh("grep -rn get_encoding_from_headers src; grep -n -A12 'def get_encoding_from_headers' src/requests/utils.py")
        sh("sed -i 's/^def get_encoding_from_headers(headers):/def get_encoding_from_headers(headers, default=None):/; "
           "/^def get_encoding_from_headers/,/^def stream/ s/        return None/        return default/' src/requests/utils.py && "
           "sed -i 's/get_encoding_from_headers(response.headers)/get_encoding_from_headers(response.headers, None)/' "
           "src/requests/adapters.py && git diff -U0")

    def tandem(self, call):
        call("find_referencing_symbols", name_path="get_encoding_from_headers", path="src/requests/utils.py")
        call("find_symbol", name_path="get_encoding_from_headers", path="src/requests/utils.py", include_body=True)
        call("apply_edit", edits=[
            {"path": "src/requests/utils.py", "patches": [
                {"old_text": self.old_head, "new_text": self.new_head},
                {"old_text": "    if not content_type:\n        return None",
                 "new_text": "    if not content_type:\n        return default"}]},
            {"path": "src/requests/adapters.py", "patches": [
                {"old_text": "get_encoding_from_headers(response.headers)",
                 "new_text": "get_encoding_from_headers(response.headers, None)"}]},
        ])

    def serena(self, call):
        path = "src/requests/utils.py"
        call("find_referencing_symbols", name_path="get_encoding_from_headers", relative_path=path)
        call("find_symbol", name_path_pattern="get_encoding_from_headers", relative_path=path, include_body=True)
        for file, old, new in [
            (path, self.old_head, self.new_head),
            (path, "    if not content_type:\n        return None", "    if not content_type:\n        return default"),
            ("src/requests/adapters.py", "get_encoding_from_headers(response.headers)",
             "get_encoding_from_headers(response.headers, None)"),
        ]:
            call("replace_content", relative_path=file, needle=old, repl=new, mode="literal")

    def check(self, folder):
        utils = read(folder, "src/requests/utils.py")
        assert self.new_head in utils and "        return default" in utils
        assert "(response.headers, None)" in read(folder, "src/requests/adapters.py")


class FailingTest:
    name, project = "fix a function by its failing test", "flask"

    def prepare(self, folder):
        path = folder / "src/flask/config.py"
        path.write_text(path.read_text().replace("key.removeprefix(prefix)", "key.removesuffix(prefix)"))

    old, new = "key = key.removesuffix(prefix)", "key = key.removeprefix(prefix)"
    test = f"{ENV} {PYTEST} -x --tb=short tests/test_config.py"

    def shell(self, sh):
        sh(self.test + " 2>&1 | tail -25")
        sh("grep -n 'def from_prefixed_env' src/flask/config.py; sed -n '/def from_prefixed_env/,/def from_pyfile/p' src/flask/config.py")
        sh("sed -i 's/key.removesuffix(prefix)/key.removeprefix(prefix)/' src/flask/config.py")
        sh(self.test + " 2>&1 | tail -3")

    def tandem(self, call):
        call("run_command", command=self.test + " 2>&1 | tail -25", cwd=".")
        call("find_symbol", name_path="Config/from_prefixed_env", include_body=True)
        call("apply_edit", path="src/flask/config.py", old_text=self.old, new_text=self.new)
        call("run_command", command=self.test + " 2>&1 | tail -3", cwd=".")

    def serena(self, call):
        call("execute_shell_command", command=self.test + " 2>&1 | tail -25")
        call("find_symbol", name_path_pattern="Config/from_prefixed_env", include_body=True)
        call("replace_content", relative_path="src/flask/config.py", needle=self.old, repl=self.new, mode="literal")
        call("execute_shell_command", command=self.test + " 2>&1 | tail -3")

    def check(self, folder):
        assert self.new in read(folder, "src/flask/config.py")


class NewFile:
    name, project = "write a new module", "flask"
    path = "src/flask/slugs.py"
    content = (
        '"""Slugs for URLs."""\n\nimport re\n\n\ndef slugify(text: str) -> str:\n'
        '    """The words of a text in lower case, joined by hyphens."""\n'
        '    words = re.findall(r"[a-z0-9]+", text.lower())\n    return "-".join(words)\n'
    )

    def shell(self, sh):
        sh(f"cat > {self.path} <<'EOF'\n{self.content}EOF")

    def tandem(self, call):
        call("write_file", path=self.path, content=self.content)

    def serena(self, call):
        call("create_text_file", relative_path=self.path, content=self.content)

    def filesystem(self, call):
        call("write_file", path=str(call.folder / self.path), content=self.content)

    def check(self, folder):
        assert read(folder, self.path) == self.content


class MoveFunction:
    name, project = "move a function to the file that uses it", "requests"
    body = (
        'def guess_filename(obj):\n    """Tries to guess the filename of the given object."""\n'
        '    name = getattr(obj, "name", None)\n'
        '    if name and isinstance(name, basestring) and name[0] != "<" and name[-1] != ">":\n'
        '        return os.path.basename(name)\n'
    )

    def shell(self, sh):
        sh("grep -rn guess_filename src; grep -n -A6 'def guess_filename' src/requests/utils.py; "
           "grep -n '^class\\|^import\\|basestring' src/requests/models.py")
        sh("sed -n '251,255p' src/requests/utils.py > /tmp/moved.$$ && printf '\\n\\n' >> /tmp/moved.$$ && "
           "sed -i '251,257d' src/requests/utils.py && sed -i '/^    guess_filename,$/d' src/requests/models.py && "
           "sed -i \"$(( $(grep -n '^class RequestEncodingMixin' src/requests/models.py | cut -d: -f1) - 1 ))r /tmp/moved.$$\" "
           "src/requests/models.py && sed -i 's/^import datetime$/import datetime\\nimport os/' src/requests/models.py && "
           "rm /tmp/moved.$$ && git diff -U1")

    def tandem(self, call):
        call("grep_search", pattern="guess_filename|^class|^import|basestring", path="src/requests/models.py")
        call("find_symbol", name_path="guess_filename", path="src/requests/utils.py", include_body=True)
        call("apply_edit", edits=[
            {"path": "src/requests/utils.py", "patches": [{"old_text": self.body + "\n\n", "new_text": ""}]},
            {"path": "src/requests/models.py", "patches": [
                {"old_text": "    guess_filename,\n", "new_text": ""},
                {"old_text": "import datetime\n", "new_text": "import datetime\nimport os\n"},
                {"old_text": "class RequestEncodingMixin:", "new_text": self.body + "\n\nclass RequestEncodingMixin:"}]},
        ])

    def serena(self, call):
        path = "src/requests/models.py"
        call("search_for_pattern", substring_pattern="guess_filename|^class|^import|basestring", relative_path=path)
        call("find_symbol", name_path_pattern="guess_filename", relative_path="src/requests/utils.py", include_body=True)
        call("insert_before_symbol", name_path="RequestEncodingMixin", relative_path=path, body=self.body + "\n\n")
        call("replace_content", relative_path=path, needle="    guess_filename,\n", repl="", mode="literal")
        call("replace_content", relative_path=path, needle="import datetime\n", repl="import datetime\nimport os\n", mode="literal")
        call("replace_content", relative_path="src/requests/utils.py", needle=self.body + "\n\n", repl="", mode="literal")

    def check(self, folder):
        models, utils = read(folder, "src/requests/models.py"), read(folder, "src/requests/utils.py")
        assert "def guess_filename(" in models and "guess_filename," not in models and "import os\n" in models
        assert "guess_filename" not in utils
        compile(models, "models.py", "exec")


class ReadLongFile:
    name, project = "understand one function of a file of 900 lines", "zod"

    def shell(self, sh):
        sh("grep -nE '^export (function|const|class|type|interface|abstract)' src/v4/core/util.ts")
        sh("sed -n '247,262p' src/v4/core/util.ts")

    def tandem(self, call):
        call("symbols_overview", path="src/v4/core/util.ts")
        call("find_symbol", name_path="floatSafeRemainder", path="src/v4/core/util.ts", include_body=True)

    def serena(self, call):
        call("get_symbols_overview", relative_path="src/v4/core/util.ts")
        call("find_symbol", name_path_pattern="floatSafeRemainder", relative_path="src/v4/core/util.ts", include_body=True)

    def filesystem(self, call):
        call("read_text_file", path=str(call.folder / "src/v4/core/util.ts"))

    def check(self, folder):
        pass


class Commit:
    name, project = "review changes and commit them", "flask"

    def prepare(self, folder):
        for path, old, new in [
            ("src/flask/config.py", "key = key.removeprefix(prefix)", "key = key[len(prefix):]"),
            ("src/flask/ctx.py", "_sentinel = object()", "_missing = object()\n_sentinel = _missing"),
        ]:
            file = folder / path
            file.write_text(file.read_text().replace(old, new))

    def shell(self, sh):
        sh("git status --short --branch")
        sh("git diff")
        sh("git commit -aqm 'config: cut the prefix' && git log --oneline | head -1")

    def tandem(self, call):
        call("git_status")
        call("git_diff")
        call("git_commit", message="config: cut the prefix", files=["src/flask/config.py", "src/flask/ctx.py"])

    def check(self, folder):
        log = subprocess.check_output(["git", "log", "--format=%s"], cwd=folder, text=True)
        assert log.splitlines()[0] == "config: cut the prefix", log


class Undo:
    name, project = "edit two files, think again, undo", "flask"

    def shell(self, sh):
        sh("sed -i 's/^_sentinel = object()/_missing = object()/' src/flask/ctx.py && sed -i 's/key.removeprefix(prefix)/key[len(prefix):]/' src/flask/config.py")
        sh("git checkout -q -- src/flask/ctx.py src/flask/config.py && git status --short")

    def tandem(self, call):
        call("apply_edit", edits=[
            {"path": "src/flask/ctx.py", "patches": [{"old_text": "_sentinel = object()", "new_text": "_missing = object()"}]},
            {"path": "src/flask/config.py", "patches": [{"old_text": "key.removeprefix(prefix)", "new_text": "key[len(prefix):]"}]},
        ])
        call("undo_action")

    def check(self, folder):
        assert not subprocess.check_output(["git", "status", "--short"], cwd=folder, text=True)


class Debug:
    name, project = "see the values at a line of a running program", "flask"
    program = (
        "def total(prices):\n    result = 0\n    for price in prices:\n        result += price\n"
        "    return result\n\n\nprint(total([1, 2.5, 4]))\n"
    )

    def prepare(self, folder):
        (folder / "sum.py").write_text(self.program)

    def shell(self, sh):
        sh("python -m pdb -c 'b sum.py:5' -c c -c 'w' -c 'p result, price' -c q sum.py")

    def tandem(self, call):
        call("debug_breakpoint", action="set", file="sum.py", line=5)
        call("debug_launch", program="sum.py")

    def check(self, folder):
        pass


TASKS = [Find, Rename, Replace, AddParameter, FailingTest, NewFile, MoveFunction, ReadLongFile, Commit, Undo, Debug]


def download(work):
    """The projects, each committed in a repository of its own."""
    sources = work / "sources"
    if sources.exists():
        return sources
    archives = work / "archives"
    archives.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", archives]
    subprocess.run([*pip, *PYTHON_PROJECTS], check=True)
    for project in NPM_PROJECTS:
        subprocess.run(["npm", "pack", "-s", project], cwd=archives, check=True, stdout=subprocess.DEVNULL)
    unpacked = work / "unpacked"
    for archive in archives.iterdir():
        name = archive.name.split("-")[0]
        target = unpacked / name
        target.mkdir(parents=True)
        subprocess.run(["tar", "xf", archive, "-C", target, "--strip-components", "1"], check=True)
        git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.org"]
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=target, check=True)
        subprocess.run(["git", "config", "user.name", "bench"], cwd=target, check=True)
        subprocess.run(["git", "config", "user.email", "bench@example.org"], cwd=target, check=True)
        subprocess.run(["git", "add", "-A"], cwd=target, check=True)
        subprocess.run([*git, "commit", "-qm", "the project"], cwd=target, check=True)
    unpacked.rename(sources)
    return sources


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tandem", help="the binary")
    parser.add_argument("--server", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--work", type=Path, default=Path("target/tokens"))
    parser.add_argument("--only", help="a part of a task's name")
    parser.add_argument("--show", action="store_true", help="print calls and results")
    options = parser.parse_args()
    tandem = [os.path.abspath(options.tandem), "mcp", "--headless", "--workspace", "{}"]
    ways = {"tandem": tandem}
    for server in options.server:
        name, command = server.split("=", 1)
        ways[name] = shlex.split(command)
    work = options.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    global encoding
    encoding = load_encoding(work)
    sources = download(work)
    # The Python of this script has pytest, debugpy and the projects' dependencies.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    names = ["shell", *ways]
    rows, sums = [], {name: [0, 0, 0] for name in names}
    lists = {}
    for task in (task() for task in TASKS):
        if options.only and options.only not in task.name:
            continue
        counted = {}
        for name in names:
            steps = getattr(task, name, None)
            if steps is None:
                continue
            folder = work / "tasks" / f"{type(task).__name__}-{name}"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(sources / task.project, folder, symlinks=True)
            if hasattr(task, "prepare"):
                task.prepare(folder)
            way = Shell(folder, options.show) if name == "shell" else Server(ways[name], folder, options.show)
            try:
                if isinstance(way, Server) and name not in lists:
                    lists[name] = way.list_cost()
                steps(way)
                task.check(folder)
                counted[name] = way
            except Exception as error:
                print(f"{task.name}: {name}: {error}", file=sys.stderr)
            finally:
                way.close()
        rows.append((task, counted))
    print("| task | " + " | ".join(f"{name}: calls, tokens" for name in names) + " | tandem / shell |")
    print("|---|" + "---:|" * len(names) + "---:|")
    for task, counted in rows:
        cells = []
        for name in names:
            way = counted.get(name)
            cells.append(f"{way.calls}, {way.total}" if way else "\u2013")
            if way and "tandem" in counted and "shell" in counted:
                sums[name][0] += way.calls
                sums[name][1] += way.total
                sums[name][2] += 1
        both = "tandem" in counted and "shell" in counted
        ratio = f"{counted['tandem'].total / counted['shell'].total:.2f}" if both else "\u2013"
        print(f"| {task.name} | " + " | ".join(cells) + f" | {ratio} |")
    total = [f"{calls}, {total}" + ("" if count == len(rows) else f" ({count} tasks)") for calls, total, count in sums.values()]
    print("| all | " + " | ".join(total) + f" | {sums['tandem'][1] / max(1, sums['shell'][1]):.2f} |")
    for name, (count, cost) in lists.items():
        print(f"\nThe list of tools of {name}: {count} tools, {cost} tokens.")


if __name__ == "__main__":
    main()
