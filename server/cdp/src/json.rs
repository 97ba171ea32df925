//! What browsers and Node serve beside their WebSocket: `/json/version`, `/json/list`.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Size limit of an answer with its head, in bytes.
const MAX_ANSWER_BYTES: u64 = 1 << 20;
/// How long the other side may be silent.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// Requests a path and returns its JSON. `host` is the name and port that the request names: browsers refuse
/// names other than `localhost` and addresses.
///
/// # Errors
/// If the connection fails, or what is there does not speak HTTP with JSON.
pub fn get_json(mut stream: TcpStream, host: &str, path: &str) -> io::Result<Value> {
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())?;
    let mut reader = BufReader::new(stream.take(MAX_ANSWER_BYTES));
    // The connection stays open, so the length says where the answer ends.
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    serde_json::from_slice(&body).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn answered(answer: &'static str) -> io::Result<Value> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 1_000];
            let read = stream.read(&mut request).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            // Ended by the client, as browsers do.
            let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
            let _ = stream.read(&mut [0]);
            String::from_utf8_lossy(&request[..read]).into_owned()
        });
        let result = get_json(TcpStream::connect(address).unwrap(), "localhost:1", "/json/version");
        assert_eq!(
            server.join().unwrap(),
            "GET /json/version HTTP/1.1\r\nHost: localhost:1\r\n\r\n"
        );
        result
    }

    #[test]
    fn the_length_ends_an_answer_on_an_open_connection() {
        let found = answered("HTTP/1.1 200 OK\r\ncontent-LENGTH: 8\r\n\r\n{\"a\": 1}more").unwrap();
        assert_eq!(found["a"], 1);
        assert!(answered("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello").is_err());
        assert!(answered("HTTP/1.1 400 Bad Request\r\n\r\n").is_err());
    }
}
