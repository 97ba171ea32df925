//! Embeds every query file in `queries/`, so that a new language needs only a folder there.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../queries");
    println!("cargo:rerun-if-changed={}", top.display());
    let mut files = Vec::new();
    for folder in fs::read_dir(&top)? {
        let folder = folder?.path();
        for file in fs::read_dir(&folder)? {
            let path = file?.path();
            if path.extension().is_some_and(|e| e == "scm") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut table = String::from("&[\n");
    for path in &files {
        let name = |p: &Path| p.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = name(path.parent().unwrap_or(&top));
        writeln!(table, "({folder:?}, {:?}, include_str!({path:?})),", name(path))
            .map_err(io::Error::other)?;
    }
    table.push(']');
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&out).join("queries.rs"), table)
}
