//! `tandem lsp`

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lsp::ConnectionEnd;
use rustix::fs::{FlockOperation, Mode, flock};
use tokio::net::{TcpListener, UnixListener};

use crate::cli::LspArgs;

pub(crate) fn run(args: &LspArgs) -> ExitCode {
    // Kept until the process ends: running calls may still use it.
    let runtime = runtime();
    let served = match &runtime {
        Ok(runtime) => runtime.block_on(serve(args)),
        Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
    };
    let code = match served {
        Ok(ConnectionEnd::Clean) => 0,
        Ok(ConnectionEnd::Abrupt) => 1,
        Ok(ConnectionEnd::Lost(reason)) => {
            anstream::eprintln!("tandem: {reason}");
            1
        }
        Err(error) => {
            anstream::eprintln!("tandem: {error}");
            1
        }
    };
    // Exits explicitly: a thread may be blocked on input.
    std::process::exit(code)
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

async fn serve(args: &LspArgs) -> io::Result<ConnectionEnd> {
    if let Some(port) = args.port {
        let bound = TcpListener::bind(("127.0.0.1", port)).await;
        let listener =
            bound.map_err(|e| io::Error::new(e.kind(), format!("127.0.0.1:{port}: {e}")))?;
        anstream::eprintln!("tandem: listening on {}", listener.local_addr()?);
        let (stream, _) = listener.accept().await?;
        drop(listener);
        stream.set_nodelay(true)?;
        let (input, output) = stream.into_split();
        return lsp::serve(input, output).await;
    }
    if let Some(path) = &args.socket {
        let (listener, lock) = bind(path)?;
        anstream::eprintln!("tandem: listening on {}", path.display());
        let accepted = listener.accept().await;
        drop(listener);
        // One client is served, so the name is no longer needed.
        let _ = std::fs::remove_file(path);
        drop(lock);
        let (input, output) = accepted?.0.into_split();
        return lsp::serve(input, output).await;
    }
    lsp::serve(tokio::io::stdin(), tokio::io::stdout()).await
}

/// Binds a socket that only its owner can connect to. Replaces a socket that a dead server left behind,
/// but no other file. The lock file tells whether its server is alive.
pub(crate) fn bind(path: &Path) -> io::Result<(UnixListener, SocketLock)> {
    let failed = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", path.display()));
    let lock = SocketLock::acquire(path).map_err(failed)?;
    let bind = || {
        let old = rustix::process::umask(Mode::from_raw_mode(0o177));
        let bound = UnixListener::bind(path);
        rustix::process::umask(old);
        bound
    };
    let is_socket = || std::fs::symlink_metadata(path).is_ok_and(|m| m.file_type().is_socket());
    let listener = match bind() {
        Err(e) if e.kind() == io::ErrorKind::AddrInUse && is_socket() => {
            std::fs::remove_file(path).and_then(|()| bind())
        }
        done => done,
    };
    Ok((listener.map_err(failed)?, lock))
}

/// A lock file next to a socket, locked while its server listens.
pub(crate) struct SocketLock {
    path: PathBuf,
    _file: File,
}

impl SocketLock {
    fn acquire(socket: &Path) -> io::Result<Self> {
        let mut path = socket.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let mode =
            OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).to_owned();
        let file = mode.open(&path)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| io::Error::new(io::ErrorKind::AddrInUse, "in use by another server"))?;
        Ok(Self { path, _file: file })
    }
}

impl Drop for SocketLock {
    fn drop(&mut self) {
        // A leftover file does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}
