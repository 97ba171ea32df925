//! pom.xml, as far as it names versions: Maven has no lock file.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::{LockError, LockedPackage, package};
use crate::Ecosystem;

/// Nesting of elements that is read.
const MAX_DEPTH: usize = 64;

/// A dependency while it is read.
#[derive(Default)]
struct Dependency {
    group: String,
    artifact: String,
    version: String,
    scope: String,
    line: usize,
}

/// The dependencies that have a version, with properties of the same file put in.
pub(super) fn maven(text: &str) -> Result<Vec<LockedPackage>, LockError> {
    let mut properties: HashMap<String, String> = HashMap::new();
    let mut found = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut dependency = Dependency::default();
    let mut content = String::new();
    let mut has_project = false;
    let mut reader = Reader::from_str(text);
    let (mut line, mut at) = (1, 0);
    loop {
        let event = reader.read_event();
        let end = usize::try_from(reader.buffer_position()).unwrap_or(text.len()).min(text.len());
        let malformed = |why: String| LockError::Malformed(format!("line {line}: {why}"));
        match event.map_err(|error| malformed(error.to_string()))? {
            Event::Start(start) => {
                let name = String::from_utf8_lossy(start.name().as_ref()).into_owned();
                has_project |= name == "project";
                if path.len() >= MAX_DEPTH {
                    return Err(malformed("the elements are nested too deeply".to_owned()));
                }
                content.clear();
                if name == "dependency" {
                    dependency = Dependency { line, ..Dependency::default() };
                }
                path.push(name);
            }
            Event::Text(text) => content.push_str(&text.decode().unwrap_or_default()),
            Event::End(_) => {
                let name = path.pop().unwrap_or_default();
                let value = std::mem::take(&mut content).trim().to_owned();
                match (path.last().map(String::as_str), name.as_str()) {
                    (Some("properties"), _) => drop(properties.insert(name, value)),
                    (Some("dependency"), "groupId") => dependency.group = value,
                    (Some("dependency"), "artifactId") => dependency.artifact = value,
                    (Some("dependency"), "version") => dependency.version = value,
                    (Some("dependency"), "scope") => dependency.scope = value,
                    (Some("project"), "version" | "groupId") => {
                        properties.insert(format!("project.{name}"), value);
                    }
                    (_, "dependency") => found.push(std::mem::take(&mut dependency)),
                    _ => {}
                }
            }
            Event::Eof => break,
            _ => {}
        }
        line += text.as_bytes()[at..end.max(at)].iter().filter(|byte| **byte == b'\n').count();
        at = end.max(at);
    }
    if !has_project {
        return Err(LockError::Malformed("it has no <project>".to_owned()));
    }
    let filled = |written: &str| {
        let key = written.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        key.map_or(Some(written), |key| properties.get(key).map(String::as_str)).map(str::to_owned)
    };
    Ok(found
        .into_iter()
        .filter_map(|found| {
            let (group, version) = (filled(&found.group)?, filled(&found.version)?);
            // Ranges do not say what is used.
            if !version.starts_with(|c: char| c.is_ascii_alphanumeric()) {
                return None;
            }
            let name = format!("{group}:{}", found.artifact);
            let is_dev = found.scope == "test";
            Some(LockedPackage { is_dev, ..package(Ecosystem::Maven, &name, &version, found.line) })
        })
        .collect())
}
