//! Starts an adapter and connects to it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use process::{Child, Command, Input, Launcher, ProcessError, SandboxProxy};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::unix::pipe;
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// Timeout for an adapter to listen.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// The first and the longest delay between connection attempts.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(2);
const MAX_RETRY_DELAY: Duration = Duration::from_millis(100);
/// The file name of the adapter's socket in its `TMPDIR`.
const SOCKET_NAME: &str = "adapter.sock";
/// How much of an adapter's standard error is kept, in bytes and lines.
const MAX_STDERR_BYTES: usize = 16 << 10;
const MAX_STDERR_LINES: usize = 12;
/// Standard error is read without delay up to this many bytes;
const MAX_UNTHROTTLED_BYTES: usize = 16 << 20;
/// afterwards with this delay before each next piece, so that a flood costs little.
const THROTTLE_DELAY: Duration = Duration::from_millis(5);

/// Where an adapter listens.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Endpoint {
    /// Its standard input and output.
    Stdio,
    /// A port of the loopback.
    Tcp(u16),
    /// A socket in its `TMPDIR`.
    Unix,
}

/// The reading and writing halves of a connection.
pub(crate) type Stream = (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>);

/// Connects to a running adapter.
#[derive(Debug, Clone)]
pub(crate) struct Connector {
    /// The proxy into the adapter's network namespace, which may have a loopback of its own.
    pub(crate) proxy: Option<SandboxProxy>,
    /// Its `TMPDIR`.
    folder: PathBuf,
}

impl Connector {
    /// Opens a connection; fails with [`Endpoint::Stdio`], which has only one.
    pub(crate) async fn connect(&self, endpoint: Endpoint) -> io::Result<Stream> {
        match endpoint {
            Endpoint::Stdio => Err(io::Error::other("it supports only one connection")),
            Endpoint::Tcp(port) => {
                let proxy = self.proxy.clone();
                let proxy = proxy
                    .ok_or_else(|| io::Error::other("its network namespace cannot be reached"))?;
                let connected = tokio::task::spawn_blocking(move || proxy.connect(port)).await;
                let stream = connected.map_err(io::Error::other)??;
                stream.set_nonblocking(true)?;
                let stream = TcpStream::from_std(stream)?;
                // Send small messages at once.
                let _ = stream.set_nodelay(true);
                let (reader, writer) = stream.into_split();
                Ok((Box::new(reader), Box::new(writer)))
            }
            Endpoint::Unix => {
                let stream = UnixStream::connect(self.folder.join(SOCKET_NAME)).await?;
                let (reader, writer) = stream.into_split();
                Ok((Box::new(reader), Box::new(writer)))
            }
        }
    }
}

/// A running adapter.
pub(crate) struct RunningAdapter {
    pub(crate) stream: Stream,
    pub(crate) child: Child,
    pub(crate) connector: Connector,
    pub(crate) stderr_tail: StderrTail,
}

/// Why an adapter is not running.
pub(crate) enum StartFailure {
    Process(ProcessError),
    Unreachable(String),
}

/// The last lines of an adapter's standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct StderrTail(Arc<StderrBuffer>);

#[derive(Debug, Default)]
struct StderrBuffer {
    bytes: Mutex<Vec<u8>>,
    /// How many streams are still open.
    open: watch::Sender<usize>,
}

impl StderrTail {
    fn push(&self, new: &[u8]) {
        let mut bytes = self.0.bytes.lock();
        bytes.extend_from_slice(new);
        if bytes.len() > 2 * MAX_STDERR_BYTES {
            let excess = bytes.len() - MAX_STDERR_BYTES;
            bytes.drain(..excess);
        }
    }

    /// The last lines; empty if there are none.
    pub(crate) fn last_lines(&self) -> String {
        let bytes = self.0.bytes.lock();
        let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(MAX_STDERR_BYTES)..]);
        let lines: Vec<_> = text.trim_end().lines().collect();
        lines[lines.len().saturating_sub(MAX_STDERR_LINES)..].join("\n")
    }

    /// Waits until all streams are read to their end, at most `longest`: the adapter's child
    /// processes may hold them open.
    pub(crate) async fn until_drained(&self, longest: Duration) {
        let mut open = self.0.open.subscribe();
        // `self` owns the sender, so this cannot fail.
        let _ = tokio::time::timeout(longest, open.wait_for(|open| *open == 0)).await;
    }

    /// Reads a stream to its end in the background, then drops `alive`.
    fn read_stream(&self, mut stream: pipe::Receiver, alive: Option<Arc<watch::Sender<()>>>) {
        self.0.open.send_modify(|open| *open += 1);
        let stderr = self.clone();
        tokio::spawn(async move {
            let (mut buffer, mut read) = (vec![0; 8 << 10], 0_usize);
            while let Ok(count @ 1..) = stream.read(&mut buffer).await {
                stderr.push(&buffer[..count]);
                read = read.saturating_add(count);
                // A flooding writer blocks on the full pipe, and costs us little.
                if read > MAX_UNTHROTTLED_BYTES {
                    sleep(THROTTLE_DELAY).await;
                }
            }
            stderr.0.open.send_modify(|open| *open -= 1);
            drop(alive);
        });
    }
}

/// Starts an adapter and connects to it.
pub(crate) async fn start(
    launcher: Launcher,
    mut command: Command,
    endpoint: Endpoint,
) -> Result<RunningAdapter, StartFailure> {
    command.input = if matches!(endpoint, Endpoint::Stdio) { Input::Piped } else { Input::Null };
    // Starting blocks.
    let started = tokio::task::spawn_blocking(move || launcher.start(command)).await;
    let mut child = match started {
        Ok(started) => started.map_err(StartFailure::Process)?,
        Err(error) => return Err(StartFailure::Unreachable(error.to_string())),
    };
    let stderr_tail = StderrTail::default();
    // `alive` is dropped at the end of the adapter's output: it has exited then.
    let (alive, ended) = watch::channel(());
    let alive = Arc::new(alive);
    let failed = |error: io::Error| StartFailure::Unreachable(error.to_string());
    let receiver = |file: Option<std::fs::File>| {
        file.map(pipe::Receiver::from_file).transpose().map_err(failed)
    };
    if let Some(stderr) = receiver(child.stderr.take())? {
        // Child processes may hold it open for longer than the adapter lives.
        stderr_tail.read_stream(stderr, None);
    }
    let stdout = receiver(child.stdout.take())?;
    let connector =
        Connector { proxy: child.sandbox_proxy(), folder: child.temporary_folder().to_owned() };
    let connected: io::Result<Stream> = match (endpoint, stdout) {
        (Endpoint::Stdio, Some(stdout)) => match child.stdin.take() {
            Some(stdin) => pipe::Sender::from_file(stdin)
                .map(|stdin| (Box::new(stdout) as _, Box::new(stdin) as _)),
            None => Err(io::Error::other("it has no standard input")),
        },
        (Endpoint::Stdio, None) => Err(io::Error::other("it has no standard output")),
        (Endpoint::Tcp(_) | Endpoint::Unix, stdout) => {
            if let Some(stdout) = stdout {
                stderr_tail.read_stream(stdout, Some(alive));
            }
            retry_connect(|| connector.connect(endpoint), ended).await
        }
    };
    match connected {
        Ok(stream) => Ok(RunningAdapter { stream, child, connector, stderr_tail }),
        Err(error) => {
            let output = stderr_tail.last_lines();
            drop_in_background(child);
            let output = if output.is_empty() { output } else { format!("; its output: {output}") };
            Err(StartFailure::Unreachable(format!("{error}{output}")))
        }
    }
}

/// Drops a process on a blocking thread: dropping waits for its end.
pub(crate) fn drop_in_background(child: Child) {
    drop(tokio::task::spawn_blocking(move || drop(child)));
}

/// Retries with growing delays until the adapter listens or exits.
async fn retry_connect<T, F>(
    connect: impl Fn() -> F,
    mut ended: watch::Receiver<()>,
) -> io::Result<T>
where
    F: Future<Output = io::Result<T>>,
{
    let (deadline, mut delay) = (Instant::now() + CONNECT_TIMEOUT, FIRST_RETRY_DELAY);
    loop {
        match connect().await {
            Ok(stream) => return Ok(stream),
            Err(error) if Instant::now() > deadline => return Err(error),
            Err(_) => {}
        }
        tokio::select! {
            _ = ended.changed() => return Err(io::Error::other("it exited before it listened")),
            () = sleep(delay) => delay = (delay * 2).min(MAX_RETRY_DELAY),
        }
    }
}
