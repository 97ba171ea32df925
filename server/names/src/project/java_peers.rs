//! Types that Java code may name and no Java file defines: those of other JVM languages, and
//! generated ones.

use rustc_hash::{FxHashMap, FxHashSet};

use super::last;

/// Extensions of languages that are compiled together with Java.
const PEERS: &[&str] = &[".kt", ".groovy", ".scala", ".aj", ".aidl", ".xtend"];

/// Extensions of files that code generators read.
const INPUTS: &[&str] = &[
    ".proto",
    ".thrift",
    ".avsc",
    ".avdl",
    ".fbs",
    ".g4",
    ".jj",
    ".jjt",
    ".jflex",
    ".xsd",
    ".wsdl",
    ".graphqls",
    ".sq",
    ".capnp",
    ".logtags",
];

/// Words before a type's name in the languages of [`PEERS`].
const KEYWORDS: &[&str] = &[
    "class",
    "interface",
    "object",
    "trait",
    "enum",
    "record",
    "typealias",
    "aspect",
    "parcelable",
    "union",
    "type",
];

/// Words in a build file that indicate a code generator, matched as substrings.
const GENERATORS: &[&str] = &[
    "annotationProcessor",
    "annotationProcessors",
    "kapt",
    "ksp",
    "codegen",
    "enerat",
    "jaxb",
    "xjc",
    "wsimport",
    "openapi",
    "antlr",
    "javacc",
    "jooq",
    "querydsl",
    "mapstruct",
    "protobuf",
    "avro",
    "thrift",
    "ataBinding",
    "iewBinding",
    "dagger",
    "hilt",
    "immutables",
    "auto-value",
    "autovalue",
    "build-helper",
    "sqldelight",
    "apollo",
    "modello",
];

/// Annotation processors that define no types.
const HARMLESS: &[&str] = &["lombok", "configuration-processor", "error_prone", "errorprone"];

/// Size limit of the files scanned for names, in bytes.
const MAX_SIZE: usize = 4 << 20;

/// The names of non-Java types, and whether any types are generated.
#[derive(Debug, Default)]
pub(crate) struct JavaPeers {
    /// The names in each file.
    files: FxHashMap<Box<str>, Vec<Box<str>>>,
    /// The number of files with each name.
    names: FxHashMap<Box<str>, u32>,
    /// Files that indicate a generator.
    generators: FxHashSet<Box<str>>,
}

/// Whether a file may define or generate types for Java code.
pub(super) fn is_peer(name: &str) -> bool {
    ends_in(name, PEERS) || ends_in(name, INPUTS) || is_template(name) || is_build_file(name)
}

fn ends_in(name: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// A Java template, filled in before it is compiled.
fn is_template(name: &str) -> bool {
    name.contains(".java.") || name.ends_with(".javacc")
}

fn is_build_file(name: &str) -> bool {
    matches!(name, "pom.xml" | "build.gradle" | "build.gradle.kts" | "build.xml")
}

impl JavaPeers {
    /// Reads a file; an empty text removes it.
    pub(super) fn read(&mut self, path: &str, text: &str) {
        for name in self.files.remove(path).unwrap_or_default() {
            if let Some(count) = self.names.get_mut(&name) {
                *count -= 1;
                if *count == 0 {
                    self.names.remove(&name);
                }
            }
        }
        self.generators.remove(path);
        if text.is_empty() || text.len() > MAX_SIZE {
            return;
        }
        let (file, mut names) = (last(path), Vec::new());
        if is_build_file(file) {
            let makes = |line: &str| {
                GENERATORS.iter().any(|word| line.contains(word))
                    && !HARMLESS.iter().any(|word| line.contains(word))
            };
            if text.lines().any(makes) {
                self.generators.insert(path.into());
            }
            return;
        }
        let stem = file.split('.').next().unwrap_or(file);
        if ends_in(file, PEERS) {
            names = defined(text);
            names.push(stem.into());
            names.push(format!("{stem}Kt").into());
        } else {
            self.generators.insert(path.into());
            names.extend(words(text).map(capital));
            names.push(capital(stem));
        }
        names.sort_unstable();
        names.dedup();
        for name in &names {
            *self.names.entry(name.clone()).or_default() += 1;
        }
        self.files.insert(path.into(), names);
    }

    /// Whether a non-Java file defines a type of this name.
    pub(crate) fn has_type(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Whether the build generates types.
    pub(crate) fn has_generators(&self) -> bool {
        !self.generators.is_empty()
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let all = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    all.filter(|word| word.starts_with(char::is_alphabetic))
}

/// The words after a keyword that defines a type.
fn defined(text: &str) -> Vec<Box<str>> {
    let (mut before, mut names) = ("", Vec::new());
    for word in words(text) {
        if KEYWORDS.contains(&before) && !KEYWORDS.contains(&word) {
            names.push(word.into());
        }
        before = word;
    }
    names
}

fn capital(word: &str) -> Box<str> {
    let mut all = word.chars();
    match all.next() {
        Some(first) => first.to_uppercase().chain(all).collect::<String>().into(),
        None => "".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_types_of_other_languages_and_generators() {
        let mut peers = JavaPeers::default();
        peers.read("a/Tools.kt", "data class Point(val x: Int)\nfun f() {}\nobject Here");
        assert!(peers.has_type("Point") && peers.has_type("Here") && peers.has_type("ToolsKt"));
        assert!(!peers.has_type("Int") && !peers.has_generators());
        peers.read("a/Tools.kt", "");
        assert!(!peers.has_type("Point"));
        peers.read("a/flight.proto", "message flight { }");
        assert!(peers.has_type("Flight") && peers.has_generators());
        peers.read("a/flight.proto", "");
        assert!(!peers.has_generators());
        peers.read("pom.xml", "<artifactId>lombok</artifactId><annotationProcessor/>");
        assert!(!peers.has_generators());
        peers.read("pom.xml", "<artifactId>querydsl-apt</artifactId>");
        assert!(peers.has_generators());
    }
}
