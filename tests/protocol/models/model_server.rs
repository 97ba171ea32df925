//! A server of language models for tests, in plain sockets, so that it can misbehave. It speaks OpenAI's and
//! Ollama's API, and enough of InfluxDB's. What it does follows from the model's name.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// A server. Its threads end with the test.
pub(crate) struct ModelServer {
    pub(crate) address: SocketAddr,
    seen: Arc<Seen>,
}

/// What it has seen.
#[derive(Default)]
struct Seen {
    requests: Mutex<Vec<Request>>,
    /// Connections that the client closed while an answer was being written.
    abandoned: AtomicUsize,
    /// Bytes of answers.
    sent: AtomicUsize,
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// `GET /v1/models`, as it was sent.
    pub(crate) line: String,
    /// The header `Authorization`.
    pub(crate) key: String,
    pub(crate) body: Value,
}

impl ModelServer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Seen::default());
        let shared = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let seen = shared.clone();
                std::thread::spawn(move || serve(stream, address, &seen));
            }
        });
        Self { address, seen }
    }

    /// Settings with a backend of each API, `open` (the default) and `local`.
    pub(crate) fn settings(&self) -> String {
        self.settings_with("")
    }

    /// The same with further keys of the table `models`.
    pub(crate) fn settings_with(&self, keys: &str) -> String {
        let url = format!("http://{}", self.address);
        format!(
            "[models]\n{keys}default = \"open\"\nembedding = \"open\"\njudge = \"local\"\n\
             [models.backends.open]\nkind = \"openai\"\nurl = \"{url}\"\nmodel = \"plain\"\nembedding_model = \"embed\"\n\
             [models.backends.local]\nkind = \"ollama\"\nurl = \"{url}\"\nmodel = \"judge\"\nembedding_model = \"embed\"\n"
        )
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.seen.requests.lock().unwrap().clone()
    }

    /// Bytes that were sent as answers.
    pub(crate) fn sent(&self) -> usize {
        self.seen.sent.load(Ordering::SeqCst)
    }

    /// Waits until a client has closed a connection that was being served.
    pub(crate) fn wait_until_abandoned(&self) {
        for _ in 0..500 {
            if self.seen.abandoned.load(Ordering::SeqCst) > 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the client did not close the connection");
    }
}

/// A connection to a client.
struct Client<'s> {
    stream: TcpStream,
    server: SocketAddr,
    seen: &'s Seen,
}

fn read_request(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    let (mut key, mut length) = (String::new(), 0);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "authorization" => key = value.to_owned(),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Request { line, key, body: serde_json::from_slice(&body).unwrap_or_default() })
}

fn serve(stream: TcpStream, server: SocketAddr, seen: &Seen) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let Some(request) = read_request(&mut reader) else { return };
    seen.requests.lock().unwrap().push(request.clone());
    let mut client = Client { stream, server, seen };
    if client.answer(&request).is_err() {
        seen.abandoned.fetch_add(1, Ordering::SeqCst);
    }
}

/// The words of a request's prompt.
fn prompt(request: &Request) -> String {
    request.body["messages"][0]["content"].as_str().unwrap_or_default().to_owned()
}

impl Client<'_> {
    fn write(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        let bytes = bytes.as_ref();
        self.stream.write_all(bytes)?;
        self.seen.sent.fetch_add(bytes.len(), Ordering::SeqCst);
        Ok(())
    }

    fn plain(&mut self, status: &str, headers: &str, body: &str) -> std::io::Result<()> {
        let length = body.len();
        self.write(format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{headers}\r\n{body}"))
    }

    fn json(&mut self, status: &str, body: &Value) -> std::io::Result<()> {
        self.plain(status, "Content-Type: application/json\r\n", &body.to_string())
    }

    /// The head of an answer that ends with the connection.
    fn stream_head(&mut self, kind: &str) -> std::io::Result<()> {
        self.write(format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: {kind}\r\n\r\n"))
    }

    fn answer(&mut self, request: &Request) -> std::io::Result<()> {
        let path = request.line.split([' ', '?']).nth(1).unwrap_or_default();
        let model = request.body["model"].as_str().unwrap_or_default();
        match path {
            "/v1/models" => self.json(
                "200 OK",
                &json!({ "data": [{ "id": "plain" }, { "id": "embed" }, { "id": "a-coder" }] }),
            ),
            "/api/tags" => self.json(
                "200 OK",
                &json!({ "models": [
                    { "name": "judge:latest", "size": 7_000_000, "details":
                        { "family": "llama", "parameter_size": "8.0B", "quantization_level": "Q4_0" } },
                    { "name": "nomic-embed-text", "details": { "family": "nomic-bert" } },
                ] }),
            ),
            "/v1/embeddings" | "/api/embed" => self.embedding(request, model, path),
            "/v1/chat/completions" => self.chat(request, model, true),
            "/api/chat" => self.chat(request, model, false),
            "/v1/completions" | "/api/generate" => self.completion(request, model, path),
            "/query" => self.influx(request),
            _ => self.plain("404 Not Found", "", "no such page"),
        }
    }

    fn influx(&mut self, request: &Request) -> std::io::Result<()> {
        if !request.line.contains("db=lem") {
            return self.json("404 Not Found", &json!({ "error": "database not found: x" }));
        }
        let rows = if request.line.contains("SHOW") {
            json!([{ "series": [{ "name": "measurements", "columns": ["name"], "values": [["loss"]] }] }])
        } else {
            json!([{ "series": [{ "name": "loss", "columns": ["time", "loss", "run"],
                "values": [["2026-01-01T00:00:00Z", 0.25, null]] }] }])
        };
        self.json("200 OK", &json!({ "results": rows }))
    }

    fn embedding(&mut self, request: &Request, model: &str, path: &str) -> std::io::Result<()> {
        let several = self.seen.requests.lock().unwrap().len();
        let vector = match model {
            "embed" | "nomic-embed-text" => json!([0.25, -0.5, 1]),
            "changing" => json!(vec![0.5; several]),
            "empty" => json!([]),
            "null" => json!([0.5, null]),
            "zeros" => json!([0, 0, 0]),
            "words" => json!("AAAA"),
            "huge" => json!(vec![1; 20_000]),
            "infinite" => return self.plain("200 OK", "", "{\"data\":[{\"embedding\":[1e999]}]}"),
            "nan" => return self.plain("200 OK", "", "{\"data\":[{\"embedding\":[NaN]}]}"),
            "two" => {
                let one = json!({ "embedding": [1, 2] });
                return self.json("200 OK", &json!({ "data": [one, one] }));
            }
            _ => {
                return self
                    .json("404 Not Found", &json!({ "error": { "message": "no such model" } }));
            }
        };
        assert!(request.body["input"].is_string(), "{}", request.body);
        if path == "/api/embed" {
            return self.json("200 OK", &json!({ "embeddings": [vector] }));
        }
        self.json("200 OK", &json!({ "data": [{ "embedding": vector }] }))
    }

    /// Writes on, and repeats the end of the line.
    fn completion(&mut self, request: &Request, model: &str, path: &str) -> std::io::Result<()> {
        assert!(request.body["prompt"].is_string() && request.body["suffix"].is_string());
        if model == "gone" {
            return self.json("404 Not Found", &json!({ "error": "no such model" }));
        }
        if model == "slow" {
            self.stream_head("text/event-stream")?;
            loop {
                self.write(": wait\n")?;
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        let text = "width * height)";
        if path == "/v1/completions" {
            let choice = json!({ "text": text, "finish_reason": "stop" });
            self.stream_head("text/event-stream")?;
            return self
                .write(format!("data: {}\n\ndata: [DONE]\n\n", json!({ "choices": [choice] })));
        }
        self.json("200 OK", &json!({ "response": text, "done": true, "done_reason": "stop" }))
    }

    /// Answers, as the name of the model says.
    fn chat(&mut self, request: &Request, model: &str, is_openai: bool) -> std::io::Result<()> {
        let number = self.seen.requests.lock().unwrap().len();
        let kind = if is_openai { "text/event-stream" } else { "application/x-ndjson" };
        let piece = |text: &str| {
            if is_openai {
                let event =
                    json!({ "model": model, "choices": [{ "delta": { "content": text } }] });
                format!("data: {event}\n\n")
            } else {
                let event =
                    json!({ "model": model, "message": { "content": text }, "done": false });
                format!("{event}\n")
            }
        };
        let end = if is_openai {
            let finish = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
            let usage =
                json!({ "choices": [], "usage": { "prompt_tokens": 11, "completion_tokens": 5 } });
            format!("data: {finish}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
        } else {
            let end = json!({ "done": true, "done_reason": "stop", "prompt_eval_count": 11, "eval_count": 5 });
            format!("{end}\n")
        };
        match model {
            "plain" => {
                self.stream_head(kind)?;
                for word in ["You", " wrote: ", &prompt(request)] {
                    self.write(piece(word))?;
                }
                self.write(end)
            }
            "judge" | "judge:latest" => {
                let verdict = r#"Well: {"relevance": 9, "correctness": 8, "completeness": 7, "clarity": 10, "reasoning": "Short."}"#;
                self.stream_head(kind)?;
                self.write(piece(verdict))?;
                self.write(end)
            }
            // Answers in one piece, whatever was asked.
            "whole" => self.json(
                "200 OK",
                &json!({ "model": "whole-1", "choices": [{ "message": { "content": "in one piece" }, "finish_reason": "length" }] }),
            ),
            // Is overloaded for two requests.
            "busy" if number <= 2 => {
                let status = if number == 1 { "429 Too Many Requests" } else { "503 Unavailable" };
                self.plain(status, "Retry-After: 0\r\n", "busy")
            }
            "busy" => {
                self.stream_head(kind)?;
                self.write(piece("after a while"))?;
                self.write(end)
            }
            "failing" => self.json("500 Oops", &json!({ "error": { "message": "out of memory" } })),
            "reasoner" if request.body.get("max_tokens").is_some() => self.json(
                "400 Bad Request",
                &json!({ "error": { "message": "use 'max_completion_tokens' instead of 'max_tokens'" } }),
            ),
            "reasoner" => {
                self.stream_head(kind)?;
                self.write(piece("thought"))?;
                self.write(end)
            }
            "redirecting" => {
                let location = format!("Location: http://localhost:{}/api/tags\r\n", self.server.port());
                self.plain("307 Temporary Redirect", &location, "")
            }
            // Repeats the key.
            "leaking" => {
                self.stream_head(kind)?;
                let key = request.key.trim_start_matches("Bearer ").to_owned();
                let (start, rest) = key.split_at(key.len() / 2);
                for part in ["the key is ", start, rest, "."] {
                    self.write(piece(part))?;
                }
                self.write(end)
            }
            "refusing" => {
                let why = format!("the key {} is not valid", request.key);
                self.json("401 Unauthorized", &json!({ "error": { "message": why } }))
            }
            "reporting" => {
                self.stream_head(kind)?;
                self.write(piece("a"))?;
                let error = json!({ "error": { "message": format!("{} broke", request.key) } });
                self.write(if is_openai { format!("data: {error}\n\n") } else { format!("{error}\n") })
            }
            "endless" => {
                self.stream_head(kind)?;
                loop {
                    self.write(piece("again and "))?;
                }
            }
            "slow" => {
                self.stream_head(kind)?;
                loop {
                    self.write(piece("again and "))?;
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
            "silent" => {
                self.stream_head(kind)?;
                std::thread::sleep(Duration::from_secs(20));
                Ok(())
            }
            // A gigabyte without an end of line.
            "gigabyte" => {
                self.stream_head(kind)?;
                let megabyte = "x".repeat(1 << 20);
                self.write("data: ")?;
                for _ in 0..1_024 {
                    self.write(&megabyte)?;
                }
                Ok(())
            }
            "page" => self.plain("200 OK", "Content-Type: text/html\r\n", "<html>hello</html>"),
            "nothing" => self.plain("200 OK", "", ""),
            "other-json" => self.json("200 OK", &json!({ "hello": [1, 2] })),
            "half" => {
                self.stream_head(kind)?;
                self.write(piece("half an "))
            }
            "broken" => {
                self.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")?;
                self.write(piece("half an "))
            }
            _ => self.json("404 Not Found", &json!({ "error": { "message": "no such model" } })),
        }
    }
}
