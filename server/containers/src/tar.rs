//! Entries of a tar archive. Owner and time are always the same, so that the daemon's cache sees content only.

use std::io;

/// The end of an archive.
pub(crate) const END: [u8; 1024] = [0; 1024];
/// Bytes of a block.
const BLOCK: usize = 512;
/// Bytes of a name in a head.
const NAME: usize = 100;

/// What an entry is.
pub(crate) enum Kind<'k> {
    Folder,
    File {
        executable: bool,
        size: u64,
    },
    /// A link to this target.
    Link(&'k str),
}

/// The head of an entry, with all that comes before its content.
///
/// # Errors
/// If a size has no place in it.
pub(crate) fn head(path: &str, kind: Kind<'_>) -> io::Result<Vec<u8>> {
    let path = if matches!(kind, Kind::Folder) { format!("{path}/") } else { path.to_owned() };
    let target = if let Kind::Link(target) = kind { target } else { "" };
    let mut bytes = Vec::new();
    // Longer names come before, as entries of their own.
    for (name, flag) in [(path.as_str(), b'L'), (target, b'K')] {
        if name.len() > NAME {
            bytes.extend(block("././@LongLink", "", flag, 0o644, name.len() as u64 + 1)?);
            bytes.extend_from_slice(name.as_bytes());
            bytes.push(0);
            bytes.extend(padding(name.len() as u64 + 1));
        }
    }
    let (flag, mode, size) = match kind {
        Kind::Folder => (b'5', 0o755, 0),
        Kind::File { executable: true, size } => (b'0', 0o755, size),
        Kind::File { executable: false, size } => (b'0', 0o644, size),
        Kind::Link(_) => (b'2', 0o777, 0),
    };
    bytes.extend(block(&path, target, flag, mode, size)?);
    Ok(bytes)
}

/// Zeros up to the next block.
pub(crate) fn padding(size: u64) -> Vec<u8> {
    let over = usize::try_from(size % BLOCK as u64).unwrap_or_default();
    vec![0; (BLOCK - over) % BLOCK]
}

fn block(path: &str, target: &str, flag: u8, mode: u32, size: u64) -> io::Result<[u8; BLOCK]> {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    let start = |name: &str| name.as_bytes()[..name.len().min(NAME)].to_vec();
    if size > 0o77_777_777_777 {
        return Err(io::Error::other(format!("{path} is too large for an archive")));
    }
    put(0, &start(path));
    put(100, format!("{mode:07o}\0").as_bytes());
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, &[flag]);
    put(157, &start(target));
    put(257, b"ustar  \0");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn tar_reads_what_is_written() {
        let long = format!("{}/file", "folder/".repeat(30));
        let mut archive = Vec::new();
        archive.extend(head("bin", Kind::Folder).unwrap());
        archive.extend(head("bin/run", Kind::File { executable: true, size: 3 }).unwrap());
        archive.extend(b"abc");
        archive.extend(padding(3));
        archive.extend(head(&long, Kind::File { executable: false, size: 0 }).unwrap());
        archive.extend(head("link", Kind::Link(&format!("/{long}"))).unwrap());
        archive.extend(END);
        let mut tar = Command::new("tar");
        let tar = tar.args(["--list", "--verbose", "--numeric-owner"]).env("LC_ALL", "C");
        let mut tar = tar.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        tar.stdin.take().unwrap().write_all(&archive).unwrap();
        let output = tar.wait_with_output().unwrap();
        assert!(output.status.success());
        let listed = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = listed.lines().collect();
        assert!(lines[0].starts_with("drwxr-xr-x 0/0") && lines[0].ends_with(" bin/"), "{listed}");
        assert!(lines[1].starts_with("-rwxr-xr-x") && lines[1].ends_with(" bin/run"), "{listed}");
        assert!(lines[2].starts_with("-rw-r--r--") && lines[2].ends_with(&long), "{listed}");
        assert!(lines[3].ends_with(&format!("link -> /{long}")), "{listed}");
        assert!(head("x", Kind::File { executable: false, size: 1 << 40 }).is_err());
    }
}
