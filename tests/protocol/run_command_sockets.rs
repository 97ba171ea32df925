//! A command reaches no daemon by a Unix socket, wherever it is and whenever it was made; its own processes
//! it does.

use std::io::{Read, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tests::Home;

fn run(home: &Home, script: &str, network: bool) -> Value {
    std::fs::write(home.root().join("make.py"), script).unwrap();
    let params = json!({ "command": "python3 make.py", "network": network, "timeout_ms": 30_000 });
    let mut command = home.command();
    command.args(["call", "--yes", "run_command", &params.to_string(), "--workspace"]);
    let output = command.arg(home.root()).output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// A daemon that counts its connections.
struct Daemon {
    heard: Arc<AtomicUsize>,
}

impl Daemon {
    fn from_listener(listener: UnixListener) -> Self {
        let heard = Arc::new(AtomicUsize::new(0));
        let counted = heard.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = stream;
                let mut bytes = [0; 16];
                if stream.read(&mut bytes).is_ok_and(|read| read > 0) {
                    counted.fetch_add(1, Ordering::SeqCst);
                    let _ = stream.write_all(b"done");
                }
            }
        });
        Self { heard }
    }

    fn listen(path: &Path) -> Self {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        Self::from_listener(UnixListener::bind(path).unwrap())
    }

    fn connections(&self) -> usize {
        self.heard.load(Ordering::SeqCst)
    }
}

/// Tries every way to each place.
const SOCKETS: &str = include_str!("sockets.py");

/// Runs all ways to the places after `wait` seconds: what it prints.
fn attack(home: &Home, places: &[String], wait: f64, network: bool) -> String {
    std::fs::write(home.root().join("sockets.py"), SOCKETS).unwrap();
    let arguments: Vec<String> = [wait.to_string(), home.root().to_str().unwrap().to_owned()]
        .into_iter()
        .chain(places.iter().cloned())
        .collect();
    let script = format!(
        "import sys\nsys.argv[1:] = {}\nexec(open('sockets.py').read())\n",
        json!(arguments)
    );
    let result = run(home, &script, network);
    let output = result["stdout"].as_str().unwrap_or_else(|| panic!("{result}"));
    assert_eq!(result["exit_code"], 0, "{result}");
    output.to_owned()
}

const CONNECT_SCRIPTS: &[&str] = &[
    "connect",
    "sequential packets",
    "sendto",
    "sendmsg",
    "sendto of a pair",
    "SCM_RIGHTS",
    "io_uring",
    "curl",
    "own namespaces",
    "relative",
    "symbolic link",
    "hard link",
    "handle",
    "/proc/self/root",
    "/proc/1/root",
    "bind mount",
];

#[test]
fn no_daemon_is_reachable_from_a_command() {
    let home = Home::new();
    let folder = home.outside();
    let short = tempfile::Builder::new().prefix("t").tempdir_in("/tmp").unwrap();
    let places: Vec<PathBuf> = vec![
        folder.join("d.sock"),
        home.root().join("in-workspace.sock"),
        short.path().join("agent.1"),
        folder.join("run/docker.sock"),
    ];
    let mut daemons: Vec<Daemon> = places.iter().map(|place| Daemon::listen(place)).collect();
    let name = format!("tandem-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    daemons.push(Daemon::from_listener(UnixListener::bind_addr(&address).unwrap()));
    let datagram = UnixDatagram::bind(folder.join("log")).unwrap();
    datagram.set_nonblocking(true).unwrap();
    let mut all: Vec<String> =
        places.iter().map(|place| place.to_str().unwrap().to_owned()).collect();
    all.push(format!("@{name}"));
    all.push(folder.join("log").to_str().unwrap().to_owned());
    for network in [false, true] {
        let output = attack(&home, &all, 0.0, network);
        assert!(!output.contains("REACHED"), "{output}");
        for way in CONNECT_SCRIPTS {
            assert!(output.contains(&format!("refused {way} ")), "{way} was not tried: {output}");
        }
    }
    assert!(daemons.iter().all(|daemon| daemon.connections() == 0));
    assert!(datagram.recv(&mut [0; 8]).is_err());
}

/// Those that are made while the command runs as well: nothing could have hidden them before.
#[test]
fn a_daemon_that_starts_later_is_unreachable_too() {
    let home = Home::new();
    let place = home.root().join("late.sock");
    let later = place.clone();
    let daemon = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(700));
        Daemon::listen(&later)
    });
    let output = attack(&home, &[place.to_str().unwrap().to_owned()], 1.5, true);
    assert!(output.contains("refused") && !output.contains("REACHED"), "{output}");
    assert_eq!(daemon.join().unwrap().connections(), 0);
}

/// A thread that exchanges the address all the time, while another one connects.
#[test]
fn a_socket_address_changed_during_connect_is_not_used() {
    let home = Home::new();
    let outside = home.outside().join("d.sock");
    let daemon = Daemon::listen(&outside);
    let script = format!(
        r#"
import ctypes, os, socket, struct, threading, time
libc = ctypes.CDLL(None, use_errno=True)
inside = socket.socket(socket.AF_UNIX); inside.bind("i.sock"); inside.listen(500)
def serve():
    while True:
        c, _ = inside.accept(); c.send(b"inside"); c.close()
threading.Thread(target=serve, daemon=True).start()
buffer = ctypes.create_string_buffer(110)
good = struct.pack("H", 1) + os.path.abspath("i.sock").encode().ljust(108, b"\0")
bad = struct.pack("H", 1) + {outside:?}.encode().ljust(108, b"\0")
ctypes.memmove(buffer, good, 110)
stop = False
def swap():
    while not stop:
        ctypes.memmove(buffer, bad, 110)
        ctypes.memmove(buffer, good, 110)
threading.Thread(target=swap, daemon=True).start()
done = 0
for n in range(400):
    s = socket.socket(socket.AF_UNIX)
    if libc.connect(s.fileno(), buffer, 110) == 0:
        try: s.send(b"act")
        except OSError: pass
        done += 1
    s.close()
stop = True
print("connected", done)
"#
    );
    let result = run(&home, &script, false);
    assert_eq!(result["exit_code"], 0, "{result}");
    assert_eq!(daemon.connections(), 0, "{result}");
}

/// Servers and clients of the command's own, of all kinds that programs use.
#[test]
fn processes_of_one_command_reach_each_other() {
    let home = Home::new();
    let script = r#"
import asyncio, os, multiprocessing.connection as mc, socket, subprocess, sys, threading, urllib.request
import http.server

# Streams by path and in the abstract, blocking and not, across a fork.
for place in ["a.sock", "\0abstract-of-ours", os.environ["TMPDIR"] + "/t.sock"]:
    server = socket.socket(socket.AF_UNIX); server.bind(place); server.listen()
    if os.fork() == 0:
        client = socket.socket(socket.AF_UNIX); client.connect(place); client.send(b"hello"); os._exit(0)
    connection, _ = server.accept()
    print(connection.recv(8).decode()); os.wait()
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); server.bind("s.sock"); server.listen()
client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); client.connect("s.sock")
client.send(b"packet"); print(server.accept()[0].recv(8).decode())

async def main():
    async def answer(reader, writer):
        writer.write(await reader.readline()); writer.close()
    server = await asyncio.start_unix_server(answer, "async.sock")
    reader, writer = await asyncio.open_unix_connection("async.sock")
    writer.write(b"async\n"); print((await reader.readline()).decode().strip())
asyncio.run(main())

listener = mc.Listener("m.sock", authkey=b"k")
threading.Thread(target=lambda: listener.accept().send("pickled"), daemon=True).start()
print(mc.Client("m.sock", authkey=b"k").recv())

web = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
threading.Thread(target=web.serve_forever, daemon=True).start()
print(urllib.request.urlopen(f"http://127.0.0.1:{web.server_port}/make.py").status)

# The descriptor keeps what it is.
z = socket.socket(socket.AF_UNIX); z.bind("z.sock"); z.listen()
s = socket.socket(socket.AF_UNIX); s.setblocking(False); s.connect("z.sock")
print(os.get_blocking(s.fileno()), os.get_inheritable(s.fileno()))
try: socket.socket(socket.AF_UNIX).connect("none.sock")
except OSError as error: print(type(error).__name__)
try: socket.create_connection(("127.0.0.1", 1), 2)
except OSError as error: print(type(error).__name__)
"#;
    let result = run(&home, script, false);
    let output = result["stdout"].as_str().unwrap_or_else(|| panic!("{result}"));
    let wanted = "hello\nhello\nhello\npacket\nasync\npickled\n200\nFalse False\n\
                  FileNotFoundError\nConnectionRefusedError\n";
    assert_eq!(output, wanted, "{result}");
}
