"""A debug adapter that is bad in the way that its argument says, and good else."""
import json
import subprocess
import sys
import threading
import time

BAD = sys.argv[1]
out, seq, refused = sys.stdout.buffer, 0, 0
one_at_a_time = threading.Lock()


def send(message):
    global seq
    with one_at_a_time:
        seq += 1
        body = json.dumps({"seq": seq, **message}).encode()
        out.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        out.flush()


def event(name, **body):
    send({"type": "event", "event": name, "body": body})


def answer(request, **body):
    send({"type": "response", "request_seq": request["seq"], "success": True,
          "command": request["command"], "body": body})


def die():
    sys.stderr.write("bad adapter: out of ideas\n")
    sys.stderr.flush()
    sys.exit(9)


def read():
    length = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit()
        if not line.strip():
            return json.loads(sys.stdin.buffer.read(length))
        length = int(line.split(b":")[1])


def refusals():
    global refused
    while refused < 3:
        later = read()
        assert later["type"] == "response", later
        refused += is_refused(later)


def is_refused(response):
    assert not response["success"] and response["body"]["error"]["format"]
    return True


def be_bad(command):
    if BAD == "dies-at-" + command:
        die()
    if BAD == "floods-at-" + command:
        while True:
            event("output", category="console", output="x" * 8_000)
    if BAD == "floods-errors-at-" + command:
        while True:
            sys.stderr.write("x" * 8_000 + "\n")
    if BAD == "floods-without-frames-at-" + command:
        while True:
            out.write(b"x" * 8_000)
    if BAD == "silent-at-" + command:
        time.sleep(1_000)
    if command != "threads":
        return
    if BAD == "wrong-seq":
        answer({"seq": 4_711, "command": "threads"})
    elif BAD == "leaves-a-child":
        # Which holds its standard error open for longer than it lives itself.
        subprocess.Popen([sys.executable, __file__, "silent"], stdout=subprocess.DEVNULL)
        die()
    elif BAD == "half-frame":
        out.write(b"Content-Length: 100\r\n\r\n{")
        out.flush()
        die()
    elif BAD == "garbage":
        out.write(b"Traceback (most recent call last):\n")
        out.flush()
        time.sleep(1_000)
    elif BAD == "huge":
        out.write(b"Content-Length: 99999999999\r\n\r\n")
        out.flush()
        time.sleep(1_000)
    elif BAD == "no-json":
        out.write(b"Content-Length: 3\r\n\r\n{{{")
        out.flush()
        time.sleep(1_000)


if BAD == "silent":
    time.sleep(1_000)
sys.stderr.write("bad adapter: begun as %s\n" % BAD)
while True:
    request = read()
    if request["type"] == "response":
        refused += is_refused(request)
        continue
    command = request["command"]
    be_bad(command)
    if command == "initialize":
        answer(request, supportsConfigurationDoneRequest=True)
    elif command == "launch":
        launch = request
        if BAD == "asks-back":
            for wanted in ["runInTerminal", "startDebugging", "somethingElse"]:
                send({"type": "request", "command": wanted, "arguments": {}})
        event("initialized")
    elif command == "configurationDone":
        if BAD == "asks-back":
            # Our answers may come behind our next request: they are of another hand.
            refusals()
        answer(request)
        answer(launch)
        if BAD == "floods-for-ever":
            def flood():
                while True:
                    event("output", category="stdout", output="x" * 8_000)
            threading.Thread(target=flood, daemon=True).start()
        if BAD == "floods":
            for number in range(20_000):
                event("output", category="stdout", output="line %d of many\n" % number)
                event("gossip", number=number, more="x" * 100)
        event("stopped", reason="entry", threadId=1, allThreadsStopped=True)
    elif command == "threads":
        answer(request, threads=[{"id": 1, "name": "main"}])
    elif command == "stackTrace":
        answer(request, stackFrames=[{"id": 1, "name": "main", "line": 1, "column": 1,
                                      "source": {"path": request["arguments"].get("x", "/nowhere")}}])
    elif command == "scopes":
        answer(request, scopes=[])
    elif command == "disconnect":
        answer(request)
        sys.exit()
    else:
        answer(request)
