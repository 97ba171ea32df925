"""Tries every way to the Unix sockets at some places. Arguments: seconds to wait first, a folder to work
in, and the places; `@name` is an abstract one. Prints `REACHED way place` for each that answers."""

import array, ctypes, mmap, os, socket, struct, subprocess, sys, time

libc = ctypes.CDLL(None, use_errno=True)
wait, here, places = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
LINK = here + "/way-to"


def talk(s):
    s.settimeout(2)
    s.send(b"act")
    return s.recv(8)


def connect(place, kind=socket.SOCK_STREAM):
    s = socket.socket(socket.AF_UNIX, kind)
    s.settimeout(2)
    s.connect(place)
    return talk(s)


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "system call")
    return result


def by_link(make, place):
    make(place, LINK)
    try:
        return connect(LINK)
    finally:
        os.unlink(LINK)


def relative(place):
    os.chdir(os.path.dirname(place))
    try:
        return connect(os.path.basename(place))
    finally:
        os.chdir(here)


def by_handle(place):
    return connect("/proc/self/fd/%d" % os.open(place, os.O_PATH))


def in_child(what):
    """Runs `what` in a process of its own, which may change its namespaces."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(theirs, b"+" + bytes(what()))
        except BaseException as error:
            os.write(theirs, b"-%d" % (getattr(error, "errno", None) or 0))
        finally:
            os._exit(0)
    os.close(theirs)
    os.waitpid(pid, 0)
    answer = os.read(ours, 64)
    if not answer.startswith(b"+"):
        raise OSError(int(answer[1:] or 0), "child")
    return answer[1:]


def by_bind_mount(place):
    def bound():
        NEWUSER, NEWNS, BIND = 0x10000000, 0x20000, 4096
        checked(libc.unshare(NEWUSER | NEWNS))
        os.mkdir(here + "/bound")
        folder = os.path.dirname(place).encode()
        checked(libc.mount(folder, (here + "/bound").encode(), None, BIND, None))
        return connect(here + "/bound/" + os.path.basename(place))

    return in_child(bound)


def by_descriptor(place):
    """A process connects, and another one gets the descriptor."""
    a, b = socket.socketpair()
    a.settimeout(2)
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            s = socket.socket(socket.AF_UNIX)
            s.connect(place)
            b.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno()]))])
        except BaseException:
            b.send(b"-")
        finally:
            os._exit(0)
    data, control, *_ = a.recvmsg(1, 64)
    os.waitpid(pid, 0)
    if not control:
        raise OSError(13, "not connected")
    return talk(socket.socket(fileno=struct.unpack("i", control[0][2][:4])[0]))


def by_io_uring(place):
    params = ctypes.create_string_buffer(120)
    ring = checked(libc.syscall(425, 4, params))
    offsets = struct.unpack_from("10I", params, 40)
    sq = mmap.mmap(ring, 4096, flags=mmap.MAP_SHARED, offset=0)
    entries = mmap.mmap(ring, 4096, flags=mmap.MAP_SHARED, offset=0x10000000)
    s = socket.socket(socket.AF_UNIX)
    name = place.encode()
    address = ctypes.create_string_buffer(struct.pack("H", 1) + name + b"\0")
    size = 2 + len(name) + (0 if name.startswith(b"\0") else 1)
    CONNECT, ENTER_GETEVENTS = 16, 1
    entries[:64] = struct.pack(
        "BBHiQQIIQ24x", CONNECT, 0, 0, s.fileno(), size, ctypes.addressof(address), 0, 0, 7
    )
    struct.pack_into("I", sq, offsets[6], 0)
    struct.pack_into("I", sq, offsets[1], 1)
    checked(libc.syscall(426, ring, 1, 1, ENTER_GETEVENTS, None, 0))
    return talk(s)


def by_curl(place):
    kind = "--abstract-unix-socket" if place.startswith("\0") else "--unix-socket"
    command = ["curl", "-s", "--max-time", "2", "--http0.9", kind, place.lstrip("\0"), "http://x/"]
    done = subprocess.run(command, capture_output=True)
    if not done.stdout:
        raise OSError(done.returncode, "curl")
    return done.stdout


def by_sendmsg(place):
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendmsg([b"x"], [], 0, place)
    return b"sent"


def by_sendto(place):
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", place)
    return b"sent"


def by_pair(place):
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", place)
    return b"sent"


def by_thread_in_namespace(place):
    def moved():
        NEWUSER, NEWNET = 0x10000000, 0x40000000
        checked(libc.unshare(NEWUSER | NEWNET))
        return connect(place)

    return in_child(moved)


ANYWHERE = {
    "connect": connect,
    "sequential packets": lambda place: connect(place, socket.SOCK_SEQPACKET),
    "sendto": by_sendto,
    "sendmsg": by_sendmsg,
    "sendto of a pair": by_pair,
    "SCM_RIGHTS": by_descriptor,
    "io_uring": by_io_uring,
    "curl": by_curl,
    "own namespaces": by_thread_in_namespace,
}
BY_PATH = {
    "relative": relative,
    "symbolic link": lambda place: by_link(os.symlink, place),
    "hard link": lambda place: by_link(os.link, place),
    "handle": by_handle,
    "/proc/self/root": lambda place: connect("/proc/self/root" + place),
    "/proc/1/root": lambda place: connect("/proc/1/root" + place),
    "bind mount": by_bind_mount,
}

time.sleep(wait)
os.chdir(here)
for place in places:
    place = "\0" + place[1:] if place.startswith("@") else place
    ways = ANYWHERE if place.startswith("\0") else {**ANYWHERE, **BY_PATH}
    for name, way in ways.items():
        try:
            way(place)
            print("REACHED", name, repr(place), flush=True)
        except (OSError, ValueError, struct.error) as error:
            print("refused", name, repr(place), getattr(error, "errno", error), flush=True)
