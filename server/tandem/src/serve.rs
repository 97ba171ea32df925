//! `tandem lsp`

use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::process::ExitCode;

use lsp::Ending;
use rustix::fs::Mode;
use tokio::net::{TcpListener, UnixListener};

use crate::cli::LspArgs;

pub(crate) fn run(args: &LspArgs) -> ExitCode {
    let served = runtime().and_then(|runtime| runtime.block_on(serve(args)));
    let code = match served {
        Ok(Ending::Clean) => 0,
        Ok(Ending::Abrupt) => 1,
        Ok(Ending::Lost(reason)) => {
            anstream::eprintln!("tandem: {reason}");
            1
        }
        Err(error) => {
            anstream::eprintln!("tandem: {error}");
            1
        }
    };
    // A thread may still wait for input that never comes.
    std::process::exit(code)
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

async fn serve(args: &LspArgs) -> io::Result<Ending> {
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
        let listener = bind(path).await?;
        anstream::eprintln!("tandem: listening on {}", path.display());
        let accepted = listener.accept().await;
        drop(listener);
        // The one client is here; the name is no longer needed.
        let _ = std::fs::remove_file(path);
        let (input, output) = accepted?.0.into_split();
        return lsp::serve(input, output).await;
    }
    lsp::serve(tokio::io::stdin(), tokio::io::stdout()).await
}

/// Binds a socket that only its owner can connect to. A socket that a dead server left behind is
/// replaced; anything else at the path is not.
async fn bind(path: &Path) -> io::Result<UnixListener> {
    let bind = || {
        let old = rustix::process::umask(Mode::from_raw_mode(0o177));
        let bound = UnixListener::bind(path);
        rustix::process::umask(old);
        bound
    };
    match bind() {
        Err(e) if e.kind() == io::ErrorKind::AddrInUse => {
            let is_socket =
                std::fs::symlink_metadata(path).is_ok_and(|m| m.file_type().is_socket());
            let refused = is_socket
                && tokio::net::UnixStream::connect(path)
                    .await
                    .is_err_and(|e| e.kind() == io::ErrorKind::ConnectionRefused);
            if !refused {
                return Err(io::Error::new(e.kind(), format!("{}: is in use", path.display())));
            }
            std::fs::remove_file(path)?;
            bind()
        }
        done => done.map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display()))),
    }
}
