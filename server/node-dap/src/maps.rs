//! Source maps of scripts, in both directions.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use sourcemap::{DecodedMap, SourceMap};
use thiserror::Error;

use crate::paths;

/// Size limit of a source map, in bytes. Those of large bundles have 10 to 20 MB.
const MAX_MAP_BYTES: u64 = 32 << 20;
/// Limit of its sources, and of its mappings: one takes 28 bytes here, and one byte in the map.
const MAX_SOURCES: usize = 50_000;
const MAX_MAPPINGS: u32 = 8_000_000;
/// How many lines below the given one a breakpoint may move to find code.
const MAX_SLIDE: u32 = 20;

/// Why there is no source map.
#[derive(Debug, Error)]
pub(crate) enum MapError {
    #[error("{0} is outside of the project; it is not read")]
    Outside(PathBuf),
    #[error("{0}: {1}")]
    Read(PathBuf, std::io::Error),
    #[error(
        "it has more than {MAX_MAP_BYTES} bytes, {MAX_SOURCES} sources or {MAX_MAPPINGS} mappings"
    )]
    TooLarge,
    #[error("it is no source map: {0}")]
    Invalid(#[from] sourcemap::Error),
    #[error("it is at `{0:.200}`, which is not read")]
    Remote(String),
}

/// A position, 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A source of a script.
#[derive(Debug)]
pub(crate) struct MapSource {
    /// Its file; whether there is one is not known.
    pub(crate) path: Option<PathBuf>,
    /// Its name in the map.
    pub(crate) name: String,
    /// Its text, if the map has it.
    pub(crate) text: Option<String>,
    /// Its positions with the generated ones, sorted.
    mappings: Vec<(Position, Position)>,
}

/// The map of one script.
#[derive(Debug)]
pub(crate) struct ScriptMap {
    map: SourceMap,
    pub(crate) sources: Vec<MapSource>,
    by_path: HashMap<PathBuf, usize>,
}

/// Where maps may be read, and what bundlers' paths are relative to.
#[derive(Debug, Clone, Default)]
pub(crate) struct MapRoots {
    /// The folder of the project.
    pub(crate) root: PathBuf,
}

impl ScriptMap {
    /// Loads the map of a script: from a `data:` URL, or from a file of the project or beside the script.
    pub(crate) fn load(
        script: Option<&Path>,
        map_url: &str,
        roots: &MapRoots,
    ) -> Result<Self, MapError> {
        let folder = script.and_then(Path::parent).unwrap_or(&roots.root).to_owned();
        if map_url.starts_with("data:") {
            if map_url.len() as u64 > MAX_MAP_BYTES {
                return Err(MapError::TooLarge);
            }
            return Self::new(decode_data_url(map_url)?, &folder, &roots.root);
        }
        let file = if map_url.starts_with("file://") || map_url.starts_with('/') {
            paths::script_path(map_url)
        } else if map_url.contains("://") {
            None
        } else {
            // Encoded like a URL; a `%` that is none stays.
            let name = percent_encoding::percent_decode_str(map_url).decode_utf8_lossy();
            Some(paths::normalize(&folder.join(&*name)))
        };
        let file = file.ok_or_else(|| MapError::Remote(map_url.to_owned()))?;
        let bytes = read_map(&file, &folder, roots)?;
        let folder = file.parent().unwrap_or(&folder);
        Self::new(sourcemap::decode_slice(&bytes)?, folder, &roots.root)
    }

    fn new(decoded: DecodedMap, folder: &Path, root: &Path) -> Result<Self, MapError> {
        let map = match decoded {
            DecodedMap::Regular(map) => map,
            DecodedMap::Index(sections) => sections.flatten()?,
            DecodedMap::Hermes(_) => {
                return Err(sourcemap::Error::IncompatibleSourceMap.into());
            }
        };
        if map.get_source_count() as usize > MAX_SOURCES || map.get_token_count() > MAX_MAPPINGS {
            return Err(MapError::TooLarge);
        }
        let mut sources: Vec<_> = (0..map.get_source_count())
            .map(|index| {
                let name = map.get_source(index).unwrap_or_default().to_owned();
                MapSource {
                    path: paths::source_path(&name, folder, root),
                    name,
                    text: map.get_source_contents(index).map(str::to_owned),
                    mappings: Vec::new(),
                }
            })
            .collect();
        for token in map.tokens() {
            if let Some(source) = sources.get_mut(token.get_src_id() as usize) {
                let (line, column) = token.get_src();
                let (to_line, to_column) = token.get_dst();
                source.mappings.push((
                    Position { line, column },
                    Position { line: to_line, column: to_column },
                ));
            }
        }
        let mut by_path = HashMap::new();
        for (index, source) in sources.iter_mut().enumerate() {
            source.mappings.sort_unstable();
            if let Some(path) = &source.path {
                by_path.entry(path.clone()).or_insert(index);
                // An editor may know the file by another path, through links.
                if let Ok(real) = path.canonicalize() {
                    by_path.entry(real).or_insert(index);
                }
            }
        }
        Ok(Self { map, sources, by_path })
    }

    /// The source at a generated position. `None` for code that the compiler has added.
    pub(crate) fn original(&self, at: Position) -> Option<(usize, Position)> {
        let token = self.map.lookup_token(at.line, at.column)?;
        if token.get_dst_line() != at.line || !token.has_source() {
            return None;
        }
        let index = token.get_src_id() as usize;
        self.sources.get(index)?;
        Some((index, Position { line: token.get_src_line(), column: token.get_src_col() }))
    }

    /// The source that is this file.
    pub(crate) fn source(&self, path: &Path) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// The generated position of a source's line, or of the next line with code.
    pub(crate) fn generated(&self, source: usize, at: Position) -> Option<Position> {
        let mappings = &self.sources.get(source)?.mappings;
        let first = mappings.partition_point(|(from, _)| *from < at);
        let (from, to) = mappings.get(first)?;
        (from.line <= at.line.saturating_add(MAX_SLIDE)).then_some(*to)
    }
}

/// Decodes a map in a `data:` URL; with or without a charset, in base64 or percent-encoded.
fn decode_data_url(url: &str) -> Result<DecodedMap, MapError> {
    let invalid = || MapError::Invalid(sourcemap::Error::InvalidDataUrl);
    let (kind, data) = url.split_once(',').ok_or_else(invalid)?;
    if kind.ends_with(";base64") {
        return Ok(sourcemap::decode_data_url(&format!("data:application/json;base64,{data}"))?);
    }
    let bytes: Vec<u8> = percent_encoding::percent_decode_str(data).collect();
    Ok(sourcemap::decode_slice(&bytes)?)
}

fn read_map(file: &Path, folder: &Path, roots: &MapRoots) -> Result<Vec<u8>, MapError> {
    let failed = |error| MapError::Read(file.to_owned(), error);
    let real = file.canonicalize().map_err(failed)?;
    let is_below = |root: &Path| root.canonicalize().is_ok_and(|root| real.starts_with(root));
    if !is_below(&roots.root) && !is_below(folder) {
        return Err(MapError::Outside(file.to_owned()));
    }
    // A pipe or a device must not block.
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or(0);
    let opened = File::options().read(true).custom_flags(flags).open(&real).map_err(failed)?;
    let metadata = opened.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(failed(std::io::Error::other("it is no file")));
    }
    let mut bytes = Vec::new();
    opened.take(MAX_MAP_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_MAP_BYTES {
        return Err(MapError::TooLarge);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What tsc makes of a function of two lines: the first line of the map has no source.
    const MAP: &str = r#"{"version":3,"sources":["../src/tax.ts"],"names":[],"mappings":";AAKA,SAAgB,GAAG,CAAC,KAAa;IAC/B,MAAM,IAAI,GAAG,KAAK,CAAC;IACnB,OAAO,IAAI,CAAC;AACd,CAAC"}"#;

    fn at(line: u32, column: u32) -> Position {
        Position { line, column }
    }

    fn load(dir: &Path, map_url: &str) -> Result<ScriptMap, MapError> {
        let roots = MapRoots { root: dir.join("w") };
        ScriptMap::load(Some(&dir.join("w/dist/tax.js")), map_url, &roots)
    }

    fn project() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("w/dist")).unwrap();
        dir
    }

    #[test]
    fn lines_are_found_in_both_directions() {
        let dir = project();
        let sections = format!(
            r#"{{"version":3,"sections":[{{"offset":{{"line":10,"column":0}},"map":{MAP}}}]}}"#
        );
        std::fs::write(dir.path().join("w/dist/tax.js.map"), MAP).unwrap();
        std::fs::write(dir.path().join("w/dist/sections.map"), sections).unwrap();
        let encoded = MAP.replace('"', "%22").replace(' ', "%20");
        let inline = format!("data:application/json;charset=utf-8,{encoded}");
        for (url, offset) in [("tax.js.map", 0), ("sections.map", 10), (inline.as_str(), 0)] {
            let map = load(dir.path(), url).unwrap();
            let source = map.source(&dir.path().join("w/src/tax.ts")).unwrap();
            assert_eq!(map.original(at(offset, 0)), None, "{url}");
            assert_eq!(map.original(at(offset + 2, 6)), Some((source, at(6, 2))), "{url}");
            assert_eq!(map.generated(source, at(6, 0)), Some(at(offset + 2, 4)), "{url}");
            // An empty line, and one behind all code.
            assert_eq!(map.generated(source, at(0, 0)), Some(at(offset + 1, 0)), "{url}");
            assert_eq!(map.generated(source, at(90, 0)), None, "{url}");
        }
    }

    #[test]
    fn hostile_maps_are_refused() {
        let dir = project();
        let outside = dir.path().join("secret.map");
        std::fs::write(&outside, MAP).unwrap();
        let big = dir.path().join("w/dist/big.map");
        File::create(big).unwrap().set_len(MAX_MAP_BYTES + 1).unwrap();
        std::os::unix::fs::symlink(&outside, dir.path().join("w/dist/link.map")).unwrap();
        let pipe = dir.path().join("w/dist/pipe.map");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for (url, why) in [
            ("../../secret.map", "outside"),
            ("link.map", "outside"),
            ("big.map", "more than"),
            ("pipe.map", "no file"),
            ("none.map", "No such file"),
            ("https://example.org/x.map", "not read"),
            ("data:application/json;base64,W10=", "no source map"),
            ("data:application/json;base64,%%%", "no source map"),
            ("data:x", "no source map"),
        ] {
            let error = load(dir.path(), url).map(|map| map.sources.len()).unwrap_err().to_string();
            assert!(error.contains(why), "{url}: {error}");
        }
    }

    #[test]
    fn a_source_outside_of_the_project_is_named_and_not_read() {
        let dir = project();
        let url = "data:application/json,{\"version\":3,\"sources\":[\"/etc/passwd\"],\
                   \"names\":[],\"mappings\":\"AAAA\"}";
        let map = load(dir.path(), url).unwrap();
        assert_eq!(map.original(at(0, 5)), Some((0, at(0, 0))));
        assert_eq!(map.sources[0].path.as_deref(), Some(Path::new("/etc/passwd")));
        assert_eq!(map.sources[0].text, None);
    }
}
