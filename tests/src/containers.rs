//! The Docker daemon of the tests, of the component `containers`, in a folder of its own.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::wait_for;

/// A running daemon. It ends with its containers when this is dropped, or when the thread that started it ends.
pub struct ContainerDaemon {
    folder: TempDir,
    daemon: Child,
    /// Its socket.
    pub socket: PathBuf,
    /// A program without libraries that is shell and tools in one.
    pub busybox: PathBuf,
}

impl ContainerDaemon {
    /// Whether the component is here, and may be started: without root's rights, a daemon cannot make namespaces.
    pub fn is_here() -> bool {
        crate::component("containers").is_some() && rustix::process::geteuid().is_root()
    }

    /// Starts the daemon; `None` if it is not here.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start() -> Option<Self> {
        let program = crate::component("containers").filter(|_| Self::is_here())?;
        let folder = tempfile::Builder::new().prefix("tandem-docker-").tempdir_in("/tmp").unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new(&program);
        command.arg("daemon").arg(folder.path()).stdin(Stdio::null());
        command.stdout(log.try_clone().unwrap()).stderr(log);
        let daemon = command.spawn().unwrap();
        let socket = folder.path().join("docker.sock");
        let busybox = program.ancestors().nth(3).unwrap().join("bin/busybox");
        let started = Self { folder, daemon, socket, busybox };
        wait_for("the Docker daemon", || {
            started.api("GET", "/_ping", "").ends_with("OK").then_some(())
        });
        Some(started)
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The value of `DOCKER_HOST` for it.
    pub fn host(&self) -> String {
        format!("unix://{}", self.socket.display())
    }

    /// The answer of its API, with status and headers; empty if there is none.
    pub fn api(&self, method: &str, path: &str, body: &str) -> String {
        let mut answer = String::new();
        let Ok(mut stream) = UnixStream::connect(&self.socket) else { return answer };
        // It answers at once, or has ended.
        let _ = stream.set_read_timeout(Some(Duration::from_secs(30)));
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: d\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let _ = stream.write_all(head.as_bytes());
        let _ = stream.write_all(body.as_bytes());
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    /// Kills the daemon and all containers.
    pub fn kill(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

impl Drop for ContainerDaemon {
    fn drop(&mut self) {
        self.kill();
    }
}
