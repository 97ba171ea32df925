//! Servers that break their protocol: each ends one call, in time and in little memory.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::session::{ALLOW, Session};

/// A PostgreSQL server that lets everybody in, and answers the first statement with `answer`.
fn postgres(answer: impl Fn(&mut TcpStream) + Send + 'static) -> u16 {
    serve(move |stream| {
        read_startup(stream);
        // AuthenticationOk, BackendKeyData, ReadyForQuery.
        let hello =
            [&b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x02"[..], b"Z\0\0\0\x05I"].concat();
        let _ = stream.write_all(&hello);
        read_message(stream);
        answer(stream);
    })
}

fn serve(handle: impl Fn(&mut TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            handle(&mut stream.unwrap());
        }
    });
    port
}

fn read_startup(stream: &mut TcpStream) {
    let mut length = [0; 4];
    let _ = stream.read_exact(&mut length);
    let length = u32::from_be_bytes(length) as usize;
    let _ = stream.read_exact(&mut vec![0; length.saturating_sub(4).min(10_000)]);
}

fn read_message(stream: &mut TcpStream) {
    let mut kind = [0];
    let _ = stream.read_exact(&mut kind);
    read_startup(stream);
}

/// The peak memory of the server's process in KiB.
fn peak_memory(session: &Session) -> u64 {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", session.client.process().unwrap().id()))
            .unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn call(session: &Session, scheme: &str, port: u16) -> (String, Duration) {
    let started = Instant::now();
    let connection = format!("{scheme}://x@127.0.0.1:{port}/x");
    let params = json!({ "connection": connection, "query": "SELECT 1", "timeout_ms": 1_500 });
    let error = session.try_call("db_query", params).unwrap_err();
    (error.code, started.elapsed())
}

#[test]
fn hostile_postgres_servers_end_one_call() {
    let session = Session::start(ALLOW, |_| "Deny");
    let before = peak_memory(&session);
    // Says nothing more.
    let (code, time) =
        call(&session, "postgres", postgres(|_| std::thread::sleep(Duration::from_secs(60))));
    assert_eq!(code, "E_TIMEOUT");
    assert!(time < Duration::from_secs(6), "{time:?}");
    // Begins a message and never ends it.
    let half = |stream: &mut TcpStream| {
        let _ = stream.write_all(b"D\0\0\x10\0\0\x01\0\0");
        std::thread::sleep(Duration::from_secs(60));
    };
    assert_eq!(call(&session, "postgres", postgres(half)).0, "E_TIMEOUT");
    // A row of a gigabyte.
    let huge = |stream: &mut TcpStream| {
        let _ = stream.write_all(b"D\x40\0\0\0");
        let piece = vec![0; 1 << 20];
        while stream.write_all(&piece).is_ok() {}
    };
    assert_eq!(call(&session, "postgres", postgres(huge)).0, "E_TOO_LARGE");
    // Lengths that cannot be, and what is no message.
    for wrong in [
        &b"D\0\0\0\x03"[..],
        b"D\0\0\0\x08\0\x05\0\0",
        b"T\0\0\0\x06\xff\xff",
        b"?\0\0\0\x04",
        b"E\0\0\0\x05S",
        b"",
    ] {
        let (code, time) =
            call(&session, "postgres", postgres(move |stream| drop(stream.write_all(wrong))));
        assert!(
            ["E_IO", "E_UNAVAILABLE", "E_UNSUPPORTED"].contains(&code.as_str()),
            "{wrong:?}: {code}"
        );
        assert!(time < Duration::from_secs(3), "{wrong:?}: {time:?}");
    }
    let after = peak_memory(&session);
    assert!(after < before + 100_000, "{before} KiB, then {after} KiB");
}

#[test]
fn hostile_mysql_servers_end_one_call() {
    let session = Session::start(ALLOW, |_| "Deny");
    let before = peak_memory(&session);
    let greeting: &[u8] = b"\x0a5.5.5\0\x01\0\0\0abcdefgh\0\xff\xf7\x08\x02\0\xff\x81\x15\0\0\0\0\0\0\0\0\0\0abcdefghijkl\0mysql_native_password\0";
    let greeted = move |stream: &mut TcpStream, answer: &[u8]| {
        let mut packet = vec![greeting.len() as u8, 0, 0, 0];
        packet.extend_from_slice(greeting);
        let _ = stream.write_all(&packet);
        let _ = stream.read(&mut [0; 1_000]);
        let _ = stream.write_all(answer);
    };
    let (code, time) =
        call(&session, "mysql", serve(|_| std::thread::sleep(Duration::from_secs(60))));
    assert_eq!(code, "E_TIMEOUT");
    assert!(time < Duration::from_secs(6), "{time:?}");
    let endless = move |stream: &mut TcpStream| {
        greeted(stream, b"");
        let mut piece = vec![0xff, 0xff, 0xff, 2];
        piece.resize(4 + 0xff_ffff, 0);
        while stream.write_all(&piece).is_ok() {}
    };
    assert_eq!(call(&session, "mysql", serve(endless)).0, "E_TOO_LARGE");
    for wrong in [
        &b"\xff\xff\xff\0"[..],
        b"\x01\0\0\x02\xfe",
        b"\x02\0\0\x02\xfex",
        b"\0\0\0\x02",
        b"\x01\0\0\x02\x77",
        b"\x03\0\0\x02\xff\0\0",
    ] {
        let (code, time) = call(&session, "mysql", serve(move |stream| greeted(stream, wrong)));
        assert!(["E_IO", "E_UNAVAILABLE"].contains(&code.as_str()), "{wrong:?}: {code}");
        assert!(time < Duration::from_secs(3), "{wrong:?}: {time:?}");
    }
    assert_eq!(
        call(&session, "mysql", serve(|stream| drop(stream.write_all(b"\xff\xff\xff\0")))).0,
        "E_IO"
    );
    let after = peak_memory(&session);
    assert!(after < before + 100_000, "{before} KiB, then {after} KiB");
}
