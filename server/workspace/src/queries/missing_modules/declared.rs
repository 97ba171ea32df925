//! Reads the declared dependencies of a Python project from its files, without running them.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::parent_folders;
use crate::FilePath;
use crate::libraries::{names_below, text_below};

/// Modules whose distribution has another name, with the possible distributions.
const DISTRIBUTIONS_BY_MODULE: &[(&str, &[&str])] = &[
    ("Crypto", &["pycryptodome", "pycrypto"]),
    ("MySQLdb", &["mysqlclient", "mysql-python"]),
    ("OpenSSL", &["pyopenssl"]),
    ("PIL", &["pillow", "pillow-simd"]),
    ("attr", &["attrs"]),
    ("bs4", &["beautifulsoup4"]),
    ("cv2", &["opencv-python", "opencv-python-headless", "opencv-contrib-python"]),
    ("dateutil", &["python-dateutil"]),
    ("discord", &["discord-py", "py-cord"]),
    ("dns", &["dnspython"]),
    ("docx", &["python-docx"]),
    ("dotenv", &["python-dotenv"]),
    ("environ", &["django-environ"]),
    ("fitz", &["pymupdf"]),
    ("git", &["gitpython"]),
    ("github", &["pygithub"]),
    ("google", &["protobuf", "google-auth", "google-api-core"]),
    ("grpc", &["grpcio"]),
    ("jose", &["python-jose"]),
    ("jwt", &["pyjwt"]),
    ("ldap", &["python-ldap"]),
    ("magic", &["python-magic"]),
    ("markdown", &["markdown"]),
    ("multipart", &["python-multipart"]),
    ("nacl", &["pynacl"]),
    ("pkg_resources", &["setuptools"]),
    ("pptx", &["python-pptx"]),
    ("psycopg2", &["psycopg2-binary"]),
    ("pythoncom", &["pywin32"]),
    ("rest_framework", &["djangorestframework"]),
    ("serial", &["pyserial"]),
    ("skimage", &["scikit-image"]),
    ("sklearn", &["scikit-learn"]),
    ("slugify", &["python-slugify"]),
    ("socks", &["pysocks"]),
    ("telegram", &["python-telegram-bot"]),
    ("usb", &["pyusb"]),
    ("win32api", &["pywin32"]),
    ("win32com", &["pywin32"]),
    ("wx", &["wxpython"]),
    ("yaml", &["pyyaml", "ruamel-yaml"]),
    ("zmq", &["pyzmq"]),
];

/// The dependencies declared in the parent folders of a source file.
pub(super) struct DeclaredDependencies {
    /// Every word of these files, normalized as distribution names.
    words: FxHashSet<String>,
    /// The distributions that are required unconditionally.
    pub(super) direct: Vec<String>,
    /// Whether all declarations could be read.
    pub(super) is_complete: bool,
}

impl DeclaredDependencies {
    /// Reads the files that declare dependencies in the parent folders of a file.
    pub(super) fn read_around(path: &FilePath) -> Self {
        let mut declared =
            Self { words: FxHashSet::default(), direct: Vec::new(), is_complete: true };
        for folder in parent_folders(path) {
            for name in names_below(&path.root, &folder) {
                let file = folder.join(&name);
                if name == "requirements" {
                    for inner in names_below(&path.root, &file) {
                        declared.read_file(path, &file.join(&inner), "requirements.txt");
                    }
                } else {
                    declared.read_file(path, &file, &name);
                }
            }
        }
        declared
    }

    /// Reads one file that may declare dependencies.
    fn read_file(&mut self, path: &FilePath, file: &Path, name: &str) {
        let requirements = name.contains("requirements")
            && [".txt", ".in"].iter().any(|ending| name.ends_with(ending));
        let opaque = ["setup.py", "setup.cfg", "Pipfile", "environment.yml", "environment.yaml"];
        let locks = ["poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "tox.ini"];
        let known = requirements
            || name == "pyproject.toml"
            || opaque.contains(&name)
            || locks.contains(&name);
        let Some(text) = known.then(|| text_below(&path.root, file)).flatten() else { return };
        let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
        self.words.extend(words.filter(|w| !w.is_empty()).map(normalized_distribution));
        if requirements {
            self.direct.extend(text.lines().filter_map(required_distribution));
        } else if name == "pyproject.toml" {
            self.read_pyproject(&text);
        } else if opaque.contains(&name) {
            // Only running these files would tell their dependencies.
            let asks = ["install_requires", "packages]", "dependencies"];
            self.is_complete &= !asks.iter().any(|w| text.contains(w));
        }
    }

    /// Reads a pyproject.toml line by line: tables, arrays of strings, and Poetry's keys.
    fn read_pyproject(&mut self, text: &str) {
        let (mut table, mut open) = ("", false);
        for line in text.lines().map(str::trim) {
            if !open && line.starts_with('[') {
                table = line.trim_matches(|c| matches!(c, '[' | ']'));
                continue;
            }
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            let (key, value) = (key.trim().trim_matches('"'), value.trim());
            if table.starts_with("tool.poetry") && table.ends_with("dependencies") {
                let named = !key.is_empty() && !key.starts_with('#') && key != "python";
                if named && !value.is_empty() {
                    self.direct.push(normalized_distribution(key));
                }
                continue;
            }
            let groups = ["project.optional-dependencies", "dependency-groups"];
            let declares = table == "project" && key == "dependencies" || groups.contains(&table);
            if !(open || declares && value.starts_with('[')) {
                let dynamic = table == "project" && key == "dynamic";
                self.is_complete &= !(dynamic && value.contains("dependencies"));
                continue;
            }
            let texts = if open { line } else { value };
            let quoted = texts.split(['"', '\'']).skip(1).step_by(2);
            self.direct.extend(quoted.filter_map(required_distribution));
            let ends = texts.split('#').next().unwrap_or(texts).trim_end();
            open = !ends.ends_with(']');
        }
    }

    /// Whether any of the files mentions a distribution that may provide a module.
    pub(super) fn mentions(&self, module: &str) -> bool {
        let known = DISTRIBUTIONS_BY_MODULE.iter().find(|(name, _)| *name == module);
        let mut others = known.into_iter().flat_map(|(_, all)| all.iter());
        let name = normalized_distribution(module);
        let same = |word: &String| {
            let plain = word.strip_prefix("python-").or_else(|| word.strip_prefix("py"));
            let plain = plain.or_else(|| word.strip_prefix("django-")).unwrap_or(word);
            *word == name || plain == name || word.strip_suffix("-python") == Some(&name)
        };
        others.any(|other| self.words.contains(*other)) || self.words.iter().any(same)
    }
}

/// The distribution that a line of a requirements file requires unconditionally.
fn required_distribution(line: &str) -> Option<String> {
    let line = line.split('#').next().unwrap_or(line).trim();
    let name_end = line.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
    let name = &line[..name_end.unwrap_or(line.len())];
    let plain = name.starts_with(|c: char| c.is_alphanumeric()) && !line.contains(';');
    plain.then(|| normalized_distribution(name))
}

/// The normalized name of a distribution.
pub(super) fn normalized_distribution(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}
