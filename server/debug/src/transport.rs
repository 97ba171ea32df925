//! Starting an adapter and reaching it.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use process::{Child, Command, Door, Input, Launcher, ProcessError};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::unix::pipe;
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

/// How long an adapter that listens may take until it does.
const REACHABLE: Duration = Duration::from_secs(15);
/// The first and the longest pause between tries to reach it.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// The name of the socket in an adapter's `TMPDIR` that it listens on.
const SOCKET: &str = "adapter.sock";
/// What is kept of an adapter's errors, in bytes and lines.
const KEPT: usize = 16 << 10;
const LINES: usize = 12;
/// What of its errors is read as fast as it comes, in bytes,
const MOST_AT_ONCE: usize = 16 << 20;
/// and how long each next piece waits.
const PAUSE: Duration = Duration::from_millis(5);

/// Where an adapter is spoken to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reach {
    /// Its standard input and output.
    Stdio,
    /// A port of the loopback.
    Tcp(u16),
    /// A socket in its `TMPDIR`.
    Unix,
}

/// What an adapter says is read from the first, and what it is told written to the second.
pub(crate) type Stream = (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>);

/// How an adapter is connected to while it runs.
#[derive(Debug, Clone)]
pub(crate) struct Way {
    /// To where it runs: it may be on a loopback of its own.
    pub(crate) door: Option<Door>,
    /// Its `TMPDIR`.
    folder: PathBuf,
}

impl Way {
    /// One connection; none over what is connected from the beginning.
    pub(crate) async fn connect(&self, reach: Reach) -> io::Result<Stream> {
        match reach {
            Reach::Stdio => Err(io::Error::other("it speaks to one client only")),
            Reach::Tcp(port) => {
                let door = self.door.clone();
                let door = door.ok_or_else(|| io::Error::other("nothing leads to it"))?;
                let connected = tokio::task::spawn_blocking(move || door.connect(port)).await;
                let stream = connected.map_err(io::Error::other)??;
                stream.set_nonblocking(true)?;
                let stream = TcpStream::from_std(stream)?;
                // Small messages go at once.
                let _ = stream.set_nodelay(true);
                let (reader, writer) = stream.into_split();
                Ok((Box::new(reader), Box::new(writer)))
            }
            Reach::Unix => {
                let stream = UnixStream::connect(self.folder.join(SOCKET)).await?;
                let (reader, writer) = stream.into_split();
                Ok((Box::new(reader), Box::new(writer)))
            }
        }
    }
}

/// A running adapter.
pub(crate) struct Running {
    pub(crate) stream: Stream,
    pub(crate) child: Child,
    pub(crate) way: Way,
    pub(crate) errors: Errors,
}

/// Why there is no running adapter.
pub(crate) enum Unstarted {
    Process(ProcessError),
    Unreachable(String),
}

/// The last lines that an adapter wrote where nobody reads them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Errors(Arc<Written>);

#[derive(Debug, Default)]
struct Written {
    kept: Mutex<Vec<u8>>,
    /// How many streams are still read.
    open: watch::Sender<usize>,
}

impl Errors {
    fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.kept.lock();
        kept.extend_from_slice(bytes);
        if kept.len() > 2 * KEPT {
            let over = kept.len() - KEPT;
            kept.drain(..over);
        }
    }

    /// The last lines; empty where there are none.
    pub(crate) fn last_lines(&self) -> String {
        let kept = self.0.kept.lock();
        let text = String::from_utf8_lossy(&kept[kept.len().saturating_sub(KEPT)..]);
        let lines: Vec<_> = text.trim_end().lines().collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }

    /// Waits until all that was written is here, `longest` at most: what an adapter has started may
    /// hold its streams open for longer than it lives.
    pub(crate) async fn drained(&self, longest: Duration) {
        let mut open = self.0.open.subscribe();
        // The sender is ours: it does not go.
        let _ = tokio::time::timeout(longest, open.wait_for(|open| *open == 0)).await;
    }

    /// Takes in a stream to its end. `lives` is dropped then.
    fn drain(&self, mut from: pipe::Receiver, lives: Option<Arc<watch::Sender<()>>>) {
        self.0.open.send_modify(|open| *open += 1);
        let errors = self.clone();
        tokio::spawn(async move {
            let (mut buffer, mut read) = (vec![0; 8 << 10], 0_usize);
            while let Ok(count @ 1..) = from.read(&mut buffer).await {
                errors.push(&buffer[..count]);
                read = read.saturating_add(count);
                // Who writes more waits for us, and costs no more than that.
                if read > MOST_AT_ONCE {
                    sleep(PAUSE).await;
                }
            }
            errors.0.open.send_modify(|open| *open -= 1);
            drop(lives);
        });
    }
}

/// Starts an adapter and connects to it.
pub(crate) async fn start(
    launcher: Launcher,
    mut command: Command,
    reach: Reach,
) -> Result<Running, Unstarted> {
    command.input = if matches!(reach, Reach::Stdio) { Input::Piped } else { Input::Null };
    // The launcher is waited for.
    let started = tokio::task::spawn_blocking(move || launcher.start(command)).await;
    let mut child = match started {
        Ok(started) => started.map_err(Unstarted::Process)?,
        Err(error) => return Err(Unstarted::Unreachable(error.to_string())),
    };
    let errors = Errors::default();
    // Dropped with the last end of its output: then it has ended.
    let (lives, ended) = watch::channel(());
    let lives = Arc::new(lives);
    let failed = |error: io::Error| Unstarted::Unreachable(error.to_string());
    let receiver = |file: Option<std::fs::File>| {
        file.map(pipe::Receiver::from_file).transpose().map_err(failed)
    };
    if let Some(stderr) = receiver(child.stderr.take())? {
        // What it starts may hold this end open for longer than it lives.
        errors.drain(stderr, None);
    }
    let stdout = receiver(child.stdout.take())?;
    let way = Way { door: child.door(), folder: child.temporary_folder().to_owned() };
    let connected: io::Result<Stream> = match (reach, stdout) {
        (Reach::Stdio, Some(stdout)) => match child.stdin.take() {
            Some(stdin) => pipe::Sender::from_file(stdin)
                .map(|stdin| (Box::new(stdout) as _, Box::new(stdin) as _)),
            None => Err(io::Error::other("it has no standard input")),
        },
        (Reach::Stdio, None) => Err(io::Error::other("it has no standard output")),
        (Reach::Tcp(_) | Reach::Unix, stdout) => {
            if let Some(stdout) = stdout {
                errors.drain(stdout, Some(lives));
            }
            retried(|| way.connect(reach), ended).await
        }
    };
    match connected {
        Ok(stream) => Ok(Running { stream, child, way, errors }),
        Err(error) => {
            let said = errors.last_lines();
            drop_elsewhere(child);
            let said = if said.is_empty() { said } else { format!("; it said: {said}") };
            Err(Unstarted::Unreachable(format!("{error}{said}")))
        }
    }
}

/// Ends a process, which is waited for, where that keeps nobody.
pub(crate) fn drop_elsewhere(child: Child) {
    drop(tokio::task::spawn_blocking(move || drop(child)));
}

/// Tries again, with growing pauses, until it listens or has ended.
async fn retried<T, F>(connect: impl Fn() -> F, mut ended: watch::Receiver<()>) -> io::Result<T>
where
    F: Future<Output = io::Result<T>>,
{
    let (deadline, mut pause) = (Instant::now() + REACHABLE, FIRST_PAUSE);
    loop {
        match connect().await {
            Ok(stream) => return Ok(stream),
            Err(error) if Instant::now() > deadline => return Err(error),
            Err(_) => {}
        }
        tokio::select! {
            _ = ended.changed() => return Err(io::Error::other("it ended before it listened")),
            () = sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
        }
    }
}
