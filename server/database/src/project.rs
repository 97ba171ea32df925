//! Databases that the project's own files name: `.env` files and compose files.
//!
//! What is found is a suggestion. A person approves it before anything connects, and its password appears nowhere.

use saphyr::{LoadableYamlNode, Yaml};
use tools::Context;
use workspace::FilePath;

/// A database that a file names.
pub(crate) struct FoundDatabase {
    /// How calls name it: the variable, or the compose file's service.
    pub(crate) name: String,
    /// Its URL, with the password.
    pub(crate) url: String,
    pub(crate) file: FilePath,
}

/// Limit for a file that is searched.
const MAX_FILE_BYTES: usize = 256 << 10;
/// Limit for the databases that are found.
const MAX_FOUND: usize = 20;

const ENV_FILES: &[&str] = &[".env", ".env.local", ".env.development"];
const COMPOSE_FILES: &[&str] =
    &["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"];

/// The databases that files of the workspace name. Unreadable files are left out.
pub(crate) fn found_databases(context: &Context<'_>) -> Vec<FoundDatabase> {
    let mut found: Vec<FoundDatabase> = Vec::new();
    for (files, search) in [
        (ENV_FILES, in_env_file as fn(&str) -> Vec<(String, String)>),
        (COMPOSE_FILES, in_compose_file),
    ] {
        for file in files {
            let Ok(path) = context.snapshot.locate(file) else { continue };
            if !context.may_read(&path) {
                continue;
            }
            let Ok(content) = context.snapshot.read_bytes(&path) else { continue };
            let text = match std::str::from_utf8(&content.bytes) {
                Ok(text) if text.len() <= MAX_FILE_BYTES => text,
                _ => continue,
            };
            for (name, url) in search(text) {
                if found.len() < MAX_FOUND && !found.iter().any(|known| known.name == name) {
                    found.push(FoundDatabase { name, url, file: path.clone() });
                }
            }
        }
    }
    found
}

/// Variables whose value is the URL of a database.
fn in_env_file(text: &str) -> Vec<(String, String)> {
    let variable = |line: &str| {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, value) = line.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = name.trim();
        let scheme = value.split_once(':')?.0.split('+').next()?;
        let is_database = matches!(
            scheme,
            "postgres" | "postgresql" | "mysql" | "mysql2" | "mariadb" | "sqlite" | "sqlite3"
        );
        (is_database && !name.is_empty() && name.chars().all(is_name))
            .then(|| (name.to_owned(), value.to_owned()))
    };
    text.lines().filter_map(variable).collect()
}

/// Services with the image of a database, and a port of this machine.
fn in_compose_file(text: &str) -> Vec<(String, String)> {
    let documents = Yaml::load_from_str(text).unwrap_or_default();
    let Some(services) = documents
        .first()
        .and_then(|document| document.as_mapping_get("services"))
        .and_then(Yaml::as_mapping)
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, service) in services {
        let (Some(name), Some(image)) =
            (name.as_str(), service.as_mapping_get("image").and_then(Yaml::as_str))
        else {
            continue;
        };
        let image = image.rsplit('/').next().unwrap_or_default();
        let (scheme, usual_port, user, password, database) = match image.split(':').next() {
            Some("postgres" | "postgis" | "timescaledb") => {
                ("postgres", "5432", "POSTGRES_USER", "POSTGRES_PASSWORD", "POSTGRES_DB")
            }
            Some("mysql" | "mariadb") => {
                ("mysql", "3306", "MYSQL_USER", "MYSQL_PASSWORD", "MYSQL_DATABASE")
            }
            _ => continue,
        };
        let Some(port) = published_port(service, usual_port) else { continue };
        let variable = |wanted: &str| environment(service, wanted).map(|value| encoded(&value));
        let user = variable(user).unwrap_or_default();
        let password =
            variable(password).map(|password| format!(":{password}")).unwrap_or_default();
        let database = variable(database).unwrap_or_default();
        let at = if user.is_empty() && password.is_empty() { "" } else { "@" };
        let user = if user.is_empty() && !password.is_empty() { "postgres" } else { &user };
        let url = format!("{scheme}://{user}{password}{at}localhost:{port}/{database}");
        found.push((name.to_owned(), url));
    }
    found
}

/// The port of this machine that leads to the service's.
fn published_port(service: &Yaml<'_>, inner: &str) -> Option<u16> {
    let ports = service.as_mapping_get("ports")?.as_vec()?;
    ports.iter().filter_map(Yaml::as_str).find_map(|port| {
        let (outer, to) = port.split('/').next()?.rsplit_once(':')?;
        (to == inner).then(|| outer.rsplit(':').next()?.parse().ok())?
    })
}

/// A variable of a service, in either way of writing them.
fn environment(service: &Yaml<'_>, wanted: &str) -> Option<String> {
    let variables = service.as_mapping_get("environment")?;
    if let Some(value) = variables.as_mapping_get(wanted) {
        return value
            .as_str()
            .map(str::to_owned)
            .or_else(|| value.as_integer().map(|number| number.to_string()));
    }
    let lines = variables.as_vec()?;
    lines.iter().filter_map(Yaml::as_str).find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name == wanted).then(|| value.to_owned())
    })
}

fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_files_name_databases() {
        let text = "# x\nDATABASE_URL=\"postgres://u:p@localhost/shop\"\nexport CACHE=redis://x\n\
                    OTHER='mysql+pymysql://u@h/x'\nFILE=sqlite:///app.db\nNAME=a\n";
        let found = in_env_file(text);
        let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["DATABASE_URL", "OTHER", "FILE"]);
        assert_eq!(found[0].1, "postgres://u:p@localhost/shop");
    }

    #[test]
    fn compose_files_name_databases() {
        let text = "services:\n  db:\n    image: docker.io/postgres:16-alpine\n    ports: [\"127.0.0.1:5433:5432\"]\n    \
                    environment:\n      POSTGRES_PASSWORD: p@ss\n      POSTGRES_DB: shop\n  web:\n    image: nginx\n  \
                    other:\n    image: mariadb\n    ports: [\"3307:3306\"]\n    environment:\n      - MYSQL_USER=u\n      \
                    - MYSQL_PASSWORD=p\n  inner:\n    image: mysql\n";
        let found = in_compose_file(text);
        assert_eq!(
            found,
            [
                ("db".to_owned(), "postgres://postgres:p%40ss@localhost:5433/shop".to_owned()),
                ("other".to_owned(), "mysql://u:p@localhost:3307/".to_owned()),
            ]
        );
        assert!(in_compose_file("a: [").is_empty() && in_compose_file("").is_empty());
    }
}
