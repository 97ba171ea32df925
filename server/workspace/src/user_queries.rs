//! Tree-sitter queries of the user, which replace the built-in ones.

use std::sync::OnceLock;

use syntax::{Language, QueryFile, set_user_queries};

use crate::user_file::{config_folder, read_user_file, user_file_stamp};

/// Size limit of a query file, in bytes.
const MAX_QUERY_BYTES: u64 = 1 << 20;

/// Loads, once, the queries in `$XDG_CONFIG_HOME/tandem/queries/<language>/`, which replace the
/// built-in files of the same name. Returns the problems of those that cannot be used. Call it
/// before anything is parsed.
pub fn load_user_queries() -> &'static [String] {
    static PROBLEMS: OnceLock<Vec<String>> = OnceLock::new();
    PROBLEMS.get_or_init(|| {
        let Some(folder) = config_folder().map(|folder| folder.join("queries")) else {
            return Vec::new();
        };
        let mut problems = Vec::new();
        let mut queries = Vec::new();
        let exists = |path: &std::path::Path| user_file_stamp(path).is_some();
        let languages = Language::all_with_embedded().filter(|_| exists(&folder));
        for language in languages.filter(|l| exists(&folder.join(l.id()))) {
            for file in QueryFile::ALL {
                let path = folder.join(language.id()).join(file.file_name());
                match read_user_file(&path, MAX_QUERY_BYTES)
                    .map(|bytes| bytes.map(String::from_utf8))
                {
                    Ok(None) => {}
                    Ok(Some(_)) if file == QueryFile::Bindings => {
                        let path = path.display();
                        problems.push(format!("{path}: the queries for names cannot be replaced"));
                    }
                    Ok(Some(Ok(text))) => queries.push((language, file, text)),
                    Ok(Some(Err(_))) => problems.push(format!("{}: is not UTF-8", path.display())),
                    Err(error) => problems.push(error.to_string()),
                }
            }
        }
        problems.extend(set_user_queries(queries).into_iter().map(|problem| {
            let path = folder.join(problem.language.id()).join(problem.file.file_name());
            format!("{}:{}: {problem}", path.display(), problem.line)
        }));
        problems
    })
}
