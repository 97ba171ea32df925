//! The project kinds that are known: the built-in ones and the person's own.

use std::sync::OnceLock;

use tools::FamilyState;
use workspace::{config_folder, read_user_file};

use super::Kind;

/// Longest file of a person's kind, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 10;
/// Most files of a person's kinds.
const MAX_FILES: usize = 100;

/// The built-in kinds. Of kinds that share a folder, earlier ones are preferred.
const BUILT_IN: &[(&str, &str)] = &[
    ("cargo", include_str!("../../kinds/cargo.toml")),
    ("go", include_str!("../../kinds/go.toml")),
    ("python", include_str!("../../kinds/python.toml")),
    ("node", include_str!("../../kinds/node.toml")),
    ("maven", include_str!("../../kinds/maven.toml")),
    ("gradle", include_str!("../../kinds/gradle.toml")),
    ("dotnet", include_str!("../../kinds/dotnet.toml")),
    ("ruby", include_str!("../../kinds/ruby.toml")),
    ("php", include_str!("../../kinds/php.toml")),
    ("elixir", include_str!("../../kinds/elixir.toml")),
    ("cmake", include_str!("../../kinds/cmake.toml")),
    ("meson", include_str!("../../kinds/meson.toml")),
    ("make", include_str!("../../kinds/make.toml")),
    ("shell", include_str!("../../kinds/shell.toml")),
];

/// Why a person's kind cannot be used.
#[derive(Debug, Clone)]
pub(crate) struct KindProblem {
    /// Its file.
    pub(crate) file: String,
    /// What is wrong.
    pub(crate) message: String,
}

/// All kinds. The person's own are read when the session begins, because the sandboxed threads of tools
/// cannot read the settings folder; they come before the built-in ones, whose names they may take.
pub(crate) struct Kinds {
    own: Vec<Kind>,
    /// The files that could not be read.
    pub(crate) problems: Vec<KindProblem>,
}

impl FamilyState for Kinds {}

impl Kinds {
    /// Reads the person's kinds.
    pub(crate) fn read() -> Self {
        let (mut own, mut problems) = (Vec::new(), Vec::new());
        let folder = config_folder().map(|folder| folder.join("checks"));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
        let mut paths: Vec<_> =
            entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths.into_iter().take(MAX_FILES) {
            if path.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let bytes = read_user_file(&path, MAX_FILE_BYTES);
            let read = match bytes {
                Ok(Some(bytes)) => parse(&name, &String::from_utf8_lossy(&bytes)),
                Ok(None) => continue,
                Err(error) => Err(error.to_string()),
            };
            match read {
                Ok(kind) => own.push(kind),
                Err(message) => {
                    problems.push(KindProblem { file: path.display().to_string(), message });
                }
            }
        }
        Self { own, problems }
    }

    /// All kinds, the preferred ones first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Kind> {
        let is_replaced = |kind: &&Kind| self.own.iter().any(|own| own.name == kind.name);
        self.own.iter().chain(built_in().iter().filter(move |kind| !is_replaced(kind)))
    }
}

fn built_in() -> &'static [Kind] {
    static KINDS: OnceLock<Vec<Kind>> = OnceLock::new();
    KINDS.get_or_init(|| {
        let kinds = BUILT_IN.iter().map(|(name, text)| {
            parse(name, text).inspect_err(|error| tracing::error!("kinds/{name}.toml: {error}"))
        });
        kinds.flatten().collect()
    })
}

fn parse(name: &str, text: &str) -> Result<Kind, String> {
    let mut kind: Kind = toml::from_str(text).map_err(|error| error.to_string())?;
    name.clone_into(&mut kind.name);
    Ok(kind)
}

#[cfg(test)]
mod tests {
    use super::super::Check;
    use super::*;

    #[test]
    fn built_in_kinds_are_complete() {
        assert_eq!(built_in().len(), BUILT_IN.len());
        let checks = [Check::Build, Check::Test, Check::Lint, Check::Typecheck, Check::Format];
        for kind in built_in() {
            assert!(!kind.files.is_empty(), "{}", kind.name);
            for runner in checks.iter().flat_map(|check| kind.runners(*check)) {
                let place = format!("{}: {}", kind.name, runner.name);
                assert!(!runner.command.is_empty() && !runner.install.is_empty(), "{place}");
                let commands = runner.before.iter().flatten().chain(&runner.command);
                let commands: Vec<&String> = commands.collect();
                for name in runner.words.keys() {
                    let word = format!("{{{name}}}");
                    assert!(commands.contains(&&word), "{place}: {word} is not in its command");
                }
            }
        }
    }
}
