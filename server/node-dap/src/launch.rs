//! Starts Node and follows its processes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tempfile::TempDir;

use crate::wire::Client;
use crate::work::Work;

/// What runs in each Node process first.
const BOOTLOADER: &str = include_str!("bootloader.cjs");
/// What Node itself writes when a debugger comes and goes.
const NOISE: [&str; 2] = ["Debugger attached.\n", "Waiting for the debugger to disconnect...\n"];
/// How long a program may take to end by itself when it is terminated.
const TERMINATE_TIMEOUT: Duration = Duration::from_millis(500);
/// How long output may come after the program's end.
const OUTPUT_TIMEOUT: Duration = Duration::from_millis(300);
/// How long a process has to accept its inspector's port.
const PORT_TIMEOUT: Duration = Duration::from_secs(20);

/// What to launch.
#[derive(Debug, Clone)]
pub(crate) struct LaunchPlan {
    pub(crate) runtime: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) cwd: PathBuf,
    pub(crate) env: Vec<(String, Option<String>)>,
    /// Whether the adapter's caller ends all processes.
    pub(crate) is_contained: bool,
}

/// The pipe on which Node processes report themselves.
pub(crate) struct ProcessPipe {
    folder: TempDir,
}

impl ProcessPipe {
    pub(crate) fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("tandem-node-").tempdir()?;
        std::fs::write(folder.path().join("boot.cjs"), BOOTLOADER)?;
        mknodat(CWD, folder.path().join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        Ok(Self { folder })
    }

    /// Reads it in the background, for as long as the adapter runs.
    pub(crate) fn read(&self, work: Sender<Work>) -> io::Result<()> {
        // Also open for writing, so it never ends.
        let pipe = File::options().read(true).write(true).open(self.folder.path().join("pipe"))?;
        std::thread::Builder::new().name("node-processes".to_owned()).spawn(move || {
            for line in BufReader::new(pipe).lines() {
                let Ok(line) = line else { return };
                let process = match serde_json::from_str(&line) {
                    Ok(process) => process,
                    Err(error) => {
                        tracing::debug!("the pipe of processes: {error}");
                        continue;
                    }
                };
                if work.send(Work::Process(process)).is_err() {
                    return;
                }
            }
        })?;
        Ok(())
    }

    pub(crate) fn bootloader(&self) -> PathBuf {
        self.folder.path().join("boot.cjs")
    }

    /// The variables that make Node processes report themselves.
    pub(crate) fn environment(&self, existing: Option<&str>) -> [(String, String); 2] {
        let boot = self.bootloader();
        let boot = boot.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        let own = format!("--require \"{boot}\" --inspect-publish-uid=http");
        let options = existing.filter(|it| !it.trim().is_empty());
        let options = options.map_or(own.clone(), |other| format!("{own} {other}"));
        let pipe = self.folder.path().join("pipe").to_string_lossy().into_owned();
        [("NODE_OPTIONS".to_owned(), options), ("TANDEM_NODE_DAP_PIPE".to_owned(), pipe)]
    }
}

/// The launched program.
pub(crate) struct Launched {
    child: Child,
    pid: Pid,
    guard: Option<Child>,
    readers: Vec<JoinHandle<()>>,
    has_ended: bool,
}

impl Launched {
    pub(crate) fn start(
        plan: &LaunchPlan,
        client: &Arc<Client>,
        work: Sender<Work>,
    ) -> io::Result<Self> {
        let mut command = Command::new(&plan.runtime);
        command.args(&plan.args).current_dir(&plan.cwd);
        for (name, value) in &plan.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(0).spawn()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("the process has no id"))?;
        let mut readers = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            readers.push(read_output(stdout, "stdout", client.clone())?);
        }
        if let Some(stderr) = child.stderr.take() {
            readers.push(read_output(stderr, "stderr", client.clone())?);
        }
        let guard = if plan.is_contained { None } else { Some(start_guard(child.id())?) };
        std::thread::Builder::new().name("node-exit".to_owned()).spawn(move || {
            // Not reaped here, so that its number stays taken until the session is done with it.
            let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            let _ = work.send(Work::Exited);
        })?;
        Ok(Self { child, pid, guard, readers, has_ended: false })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The exit code of the program, which has ended; a signal's number counts from 128. Returns once all of its
    /// output was sent, or a process that it left behind holds it open.
    pub(crate) fn finish(&mut self) -> i64 {
        let deadline = Instant::now() + OUTPUT_TIMEOUT;
        while self.readers.iter().any(|reader| !reader.is_finished()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.end();
        let status = self.child.wait();
        status.map_or(-1, |status| {
            let signal = status.signal().map(|signal| i64::from(signal) + 128);
            status.code().map(i64::from).or(signal).unwrap_or(-1)
        })
    }

    /// Ends the program and what it has started; first with a signal that it can handle, if `is_polite`.
    pub(crate) fn terminate(&mut self, is_polite: bool) {
        if self.has_ended {
            return;
        }
        if is_polite {
            let _ = kill_process_group(self.pid, Signal::TERM);
            let deadline = Instant::now() + TERMINATE_TIMEOUT;
            let ended = || {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
                !matches!(waitid(WaitId::Pid(self.pid), options), Ok(None))
            };
            while !ended() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        self.end();
        let _ = self.child.wait();
    }

    /// Kills the process group. Its number is not used after the program was reaped.
    fn end(&mut self) {
        if !std::mem::replace(&mut self.has_ended, true) {
            let _ = kill_process_group(self.pid, Signal::KILL);
            if let Some(mut guard) = self.guard.take() {
                let _ = guard.kill();
                let _ = guard.wait();
            }
        }
    }
}

impl Drop for Launched {
    fn drop(&mut self) {
        self.terminate(false);
    }
}

/// Starts a process that ends the program's group when this process ends, however it does.
fn start_guard(group: u32) -> io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["node-dap", "--guard", &group.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

/// Waits until standard input ends, which the adapter holds, and kills a process group.
pub fn guard(group: i32) {
    let _ = io::stdin().read_to_end(&mut Vec::new());
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Forwards output as events.
fn read_output(
    mut input: impl Read + Send + 'static,
    category: &'static str,
    client: Arc<Client>,
) -> io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(format!("node-{category}")).spawn(move || {
        let (mut buffer, mut rest) = (vec![0; 16 << 10], Vec::new());
        while let Ok(count @ 1..) = input.read(&mut buffer) {
            rest.extend_from_slice(&buffer[..count]);
            let text = take_text(&mut rest);
            let text = NOISE.iter().fold(text, |text, line| text.replace(line, ""));
            client.output(category, &text);
        }
        client.output(category, &String::from_utf8_lossy(&rest));
    })
}

/// Takes the text from bytes, but for a character that is not complete.
fn take_text(bytes: &mut Vec<u8>) -> String {
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    };
    let text = String::from_utf8_lossy(&bytes[..whole]).into_owned();
    bytes.drain(..whole);
    text
}

/// A free port for `--inspect-brk`.
pub(crate) fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The URL of the inspector behind a port, as soon as it listens.
pub(crate) fn inspector_url(host: &str, port: u16, is_starting: bool) -> io::Result<String> {
    let deadline = Instant::now() + PORT_TIMEOUT;
    loop {
        match query_inspector(host, port) {
            Err(error)
                if is_starting
                    && error.kind() == io::ErrorKind::ConnectionRefused
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(3));
            }
            other => return other,
        }
    }
}

fn query_inspector(host: &str, port: u16) -> io::Result<String> {
    let stream = std::net::TcpStream::connect((host, port))?;
    let list = cdp::get_json(stream, &format!("{host}:{port}"), "/json/list")?;
    let url = list[0]["webSocketDebuggerUrl"].as_str();
    url.map(str::to_owned).ok_or_else(|| io::Error::other("the port is no inspector's"))
}

/// The program's path with the folder that it is relative to.
pub(crate) fn absolute(cwd: &Path, program: &str) -> PathBuf {
    crate::paths::normalize(&cwd.join(program))
}

#[cfg(test)]
mod tests {
    use super::take_text;

    #[test]
    fn a_character_in_two_pieces_is_put_together() {
        let mut bytes = b"a\xc3".to_vec();
        assert_eq!(take_text(&mut bytes), "a");
        bytes.extend_from_slice(b"\xa4\xff!");
        assert_eq!(take_text(&mut bytes), "ä\u{fffd}!");
        assert!(bytes.is_empty());
    }
}
