//! Pipes, TCP and Unix sockets: one server behind all.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use client::{Client, Process};
use tests::{RESPONSE_TIMEOUT, Server};

const FIXTURE: &str = "//- /a.txt\nhere\n";

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn the_stdio_option_is_accepted() {
    let setup = Server::builder(FIXTURE);
    let client = Client::spawn(setup.home().command().args(["lsp", "--stdio"])).unwrap();
    let server = setup.with_client(client).initialize();
    assert_eq!(server.read("a.txt"), "here\n");
}

#[test]
fn a_port_serves_one_client_on_loopback() {
    let setup = Server::builder(FIXTURE);
    let port = free_port();
    let process =
        Process::spawn(setup.home().command().args(["lsp", "--port", &port.to_string()])).unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let client = Client::connect_tcp(address, RESPONSE_TIMEOUT).unwrap_or_else(|error| {
        panic!("{error}; the server said: {}", process.stderr());
    });
    let server = setup.with_client(client).initialize();
    assert_eq!(server.read("a.txt"), "here\n");
    assert!(TcpStream::connect(address).is_err(), "a second client was let in");

    assert_eq!(server.shutdown(RESPONSE_TIMEOUT).unwrap(), None);
    assert_eq!(
        process.wait_exit(RESPONSE_TIMEOUT).unwrap().code(),
        Some(0),
        "{}",
        process.stderr()
    );
}

#[test]
fn a_client_that_hangs_up_ends_a_server_on_a_port() {
    let setup = Server::builder(FIXTURE);
    let port = free_port();
    let process =
        Process::spawn(setup.home().command().args(["lsp", "--port", &port.to_string()])).unwrap();
    let client =
        Client::connect_tcp(SocketAddr::from(([127, 0, 0, 1], port)), RESPONSE_TIMEOUT).unwrap();
    drop(setup.with_client(client).initialize());
    assert_eq!(
        process.wait_exit(RESPONSE_TIMEOUT).unwrap().code(),
        Some(1),
        "{}",
        process.stderr()
    );
}

#[test]
fn a_port_in_use_is_reported() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let setup = Server::builder(FIXTURE);
    let process = Process::spawn(setup.home().command().args(["lsp", "--port", &port])).unwrap();
    let status = process.wait_exit(RESPONSE_TIMEOUT).unwrap();
    assert_eq!(status.code(), Some(1), "{}", process.stderr());
    let said = process.stderr();
    assert_eq!(said.lines().count(), 1, "one plain line: {said}");
    assert!(said.contains(&port), "{said}");
}

#[test]
fn a_socket_is_private_and_removed_with_the_server() {
    let setup = Server::builder(FIXTURE);
    let path = setup.home().outside().join("lsp.sock");
    let process =
        Process::spawn(setup.home().command().arg("lsp").arg("--socket").arg(&path)).unwrap();
    let client = Client::connect_unix(&path, RESPONSE_TIMEOUT).unwrap_or_else(|error| {
        panic!("{error}; the server said: {}", process.stderr());
    });
    // Once the client is in, the server may already have taken the name away.
    if let Ok(metadata) = path.metadata() {
        assert!(metadata.file_type().is_socket());
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }
    let server = setup.with_client(client).initialize();
    assert_eq!(server.read("a.txt"), "here\n");
    assert_eq!(server.shutdown(RESPONSE_TIMEOUT).unwrap(), None);
    assert_eq!(
        process.wait_exit(RESPONSE_TIMEOUT).unwrap().code(),
        Some(0),
        "{}",
        process.stderr()
    );
    assert!(!path.exists(), "the socket was left behind");
}

#[test]
fn a_socket_is_private_even_before_it_listens() {
    let setup = Server::builder(FIXTURE);
    let path = setup.home().outside().join("lsp.sock");
    let process =
        Process::spawn(setup.home().command().arg("lsp").arg("--socket").arg(&path)).unwrap();
    let deadline = Instant::now() + RESPONSE_TIMEOUT;
    // Polled without a pause: a moment between bind and chmod would be seen now and then.
    let mode = loop {
        if let Ok(metadata) = path.symlink_metadata() {
            break metadata.permissions().mode() & 0o777;
        }
        assert!(Instant::now() < deadline, "no socket; the server said: {}", process.stderr());
    };
    assert_eq!(mode, 0o600, "{mode:o}");
}

#[test]
fn a_socket_never_replaces_a_file() {
    let setup = Server::builder(FIXTURE);
    let path = setup.home().root().join("a.txt");
    let process =
        Process::spawn(setup.home().command().arg("lsp").arg("--socket").arg(&path)).unwrap();
    assert_eq!(process.wait_exit(RESPONSE_TIMEOUT).unwrap().code(), Some(1));
    assert!(process.stderr().contains("a.txt"), "{}", process.stderr());
    assert_eq!(std::fs::read_to_string(path).unwrap(), "here\n");
}

#[test]
fn a_socket_left_by_a_dead_server_is_replaced() {
    let setup = Server::builder(FIXTURE);
    let path = setup.home().outside().join("lsp.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(UnixStream::connect(&path).is_err());
    let process =
        Process::spawn(setup.home().command().arg("lsp").arg("--socket").arg(&path)).unwrap();
    let client = Client::connect_unix(&path, Duration::from_secs(5)).unwrap_or_else(|error| {
        panic!("{error}; the server said: {}", process.stderr());
    });
    assert_eq!(setup.with_client(client).initialize().read("a.txt"), "here\n");
}
