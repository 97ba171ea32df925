//! Substitutes variables of `launch.json`: `${workspaceFolder}`, `${file}`, `${env:NAME}`, and
//! others.

use std::collections::BTreeMap;
use std::path::Path;

use workspace::path_of_uri;

use tools::{Context, audit::is_secret_name};

/// Longest text after substitution, in bytes.
const MAX_SUBSTITUTED_BYTES: usize = 100_000;

/// The values of variables.
#[derive(Debug, Clone, Default)]
pub(super) struct LaunchVariables {
    folder: String,
    file: Option<String>,
    environment: BTreeMap<String, String>,
}

impl LaunchVariables {
    /// Values for this workspace; `${file}` is the given file, else the editor's active one.
    pub(super) fn from_context(context: &Context<'_>, file: Option<&str>) -> Self {
        let root = context.snapshot.roots().first();
        let folder = root.map(|root| root.path().to_string_lossy().into_owned());
        let named = file.and_then(|file| context.snapshot.locate(file).ok());
        let active = || path_of_uri(context.snapshot.editor().active()?).ok();
        let file = named.map(|file| file.absolute()).or_else(active);
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self {
            folder: folder.unwrap_or_default(),
            file: file.map(|file| file.to_string_lossy().into_owned()),
            environment: environment.collect(),
        }
    }

    #[cfg(test)]
    pub(super) fn new(
        folder: &str,
        file: Option<&str>,
        environment: BTreeMap<String, String>,
    ) -> Self {
        Self { folder: folder.to_owned(), file: file.map(str::to_owned), environment }
    }

    /// `text` with variables substituted.
    ///
    /// # Errors
    /// Why one of them has no value.
    pub(super) fn substitute(&self, text: &str) -> Result<String, String> {
        let (mut out, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let (name, behind) =
                after.split_once('}').ok_or_else(|| format!("`{text:.80}` has an open `${{`"))?;
            out.push_str(&self.value(name)?);
            rest = behind;
            if out.len() > MAX_SUBSTITUTED_BYTES {
                return Err(format!(
                    "it is longer than {MAX_SUBSTITUTED_BYTES} bytes with its variables"
                ));
            }
        }
        out.push_str(rest);
        Ok(out)
    }

    fn value(&self, name: &str) -> Result<String, String> {
        let name = name
            .strip_prefix("workspaceRoot")
            .map_or(name.to_owned(), |_| "workspaceFolder".to_owned());
        if let Some(variable) = name.strip_prefix("env:") {
            if is_secret_name(variable) {
                return Err(format!("`${{env:{variable:.60}}}` may be a secret, and is not given"));
            }
            return Ok(self.environment.get(variable).cloned().unwrap_or_default());
        }
        let name = name.split_once(':').map_or(name.as_str(), |(name, _)| name);
        let text = |part: Option<&std::ffi::OsStr>| {
            Ok(part.map_or_else(String::new, |part| part.to_string_lossy().into_owned()))
        };
        match name {
            "workspaceFolder" | "cwd" => return Ok(self.folder.clone()),
            "workspaceFolderBasename" => return text(Path::new(&self.folder).file_name()),
            "userHome" => return Ok(self.environment.get("HOME").cloned().unwrap_or_default()),
            "pathSeparator" | "/" => return Ok("/".to_owned()),
            _ => {}
        }
        let is_of_file = name.starts_with("file") || name.starts_with("relativeFile");
        if !is_of_file {
            return Err(format!("`${{{name:.60}}}` has no value here"));
        }
        let file = self.file.as_deref().ok_or_else(|| {
            format!("`${{{name:.60}}}` needs a file: give `file`, or open one in the editor")
        })?;
        let file = Path::new(file);
        let relative = file.strip_prefix(&self.folder).unwrap_or(file);
        match name {
            "file" => text(Some(file.as_os_str())),
            "relativeFile" => text(Some(relative.as_os_str())),
            "relativeFileDirname" => text(relative.parent().map(Path::as_os_str)),
            "fileBasename" => text(file.file_name()),
            "fileBasenameNoExtension" => text(file.file_stem()),
            "fileDirname" => text(file.parent().map(Path::as_os_str)),
            "fileDirnameBasename" => text(file.parent().and_then(Path::file_name)),
            "fileExtname" => Ok(file
                .extension()
                .map_or_else(String::new, |e| format!(".{}", e.to_string_lossy()))),
            "fileWorkspaceFolder" => Ok(self.folder.clone()),
            _ => Err(format!("`${{{name:.60}}}` has no value here")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutes_variables_and_reports_missing_ones() {
        let environment = [("A", "1"), ("API_TOKEN", "hidden"), ("HOME", "/h")];
        let environment = environment.map(|(n, v)| (n.to_owned(), v.to_owned())).into();
        let all = LaunchVariables::new("/w/x", Some("/w/x/src/a.tar.py"), environment);
        for (text, substitute) in [
            ("plain $ {x}", "plain $ {x}"),
            ("${workspaceFolder}/${relativeFile}", "/w/x/src/a.tar.py"),
            ("${workspaceFolder:x}", "/w/x"),
            ("${fileBasenameNoExtension}${fileExtname}|${fileDirname}", "a.tar.py|/w/x/src"),
            ("${env:A}${env:NONE}${userHome}", "1/h"),
            ("${workspaceFolderBasename} ${relativeFileDirname}", "x src"),
        ] {
            assert_eq!(all.substitute(text).as_deref(), Ok(substitute), "{text}");
        }
        for text in ["${", "${command:pick}", "${input:x}", "${env:API_TOKEN}", "${fileMagic}"] {
            let why = all.substitute(text).unwrap_err();
            assert!(!why.contains("hidden"), "{why}");
        }
        let none = LaunchVariables::new("/w", None, BTreeMap::new());
        assert!(none.substitute("${file}").unwrap_err().contains("give `file`"));
    }
}
