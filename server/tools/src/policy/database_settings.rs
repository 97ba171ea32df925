//! The tables `databases.NAME` of the user's settings.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A database that the person named.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseSettings {
    /// What it is.
    pub kind: DatabaseKind,
    /// SQLite: the file, in the workspace.
    #[serde(default)]
    pub path: Option<String>,
    /// A server's name or address; this machine by default.
    #[serde(default)]
    pub host: Option<String>,
    /// A server's port.
    #[serde(default)]
    pub port: Option<u16>,
    /// A server's Unix socket, instead of a host.
    #[serde(default)]
    pub socket: Option<String>,
    /// The user's name at the server.
    #[serde(default)]
    pub user: Option<String>,
    /// The environment variable that holds the password.
    #[serde(default)]
    pub password_env: Option<String>,
    /// The database at the server.
    #[serde(default)]
    pub database: Option<String>,
    /// Whether the connection is encrypted; by default if the server is another machine.
    #[serde(default)]
    pub tls: Option<bool>,
}

/// A kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseKind {
    /// A file.
    Sqlite,
    /// A PostgreSQL server.
    Postgres,
    /// A MySQL or MariaDB server.
    #[serde(alias = "mariadb")]
    Mysql,
}

/// Limit for the databases of one file.
const MAX_DATABASES: usize = 200;

/// Refuses what no database can be.
pub(super) fn check(databases: &BTreeMap<String, DatabaseSettings>) -> Result<(), String> {
    if databases.len() > MAX_DATABASES {
        return Err(format!("databases: more than {MAX_DATABASES}"));
    }
    for (name, database) in databases {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || !name.chars().all(is_word) {
            let rule = "letters, digits, `_` and `-`";
            return Err(format!("databases.{name:.60}: a name consists of {rule}"));
        }
        let is_file = database.kind == DatabaseKind::Sqlite;
        if is_file != database.path.is_some() {
            return Err(format!(
                "databases.{name}: `path` names the file of SQLite, and only that"
            ));
        }
        if database.socket.is_some() && database.host.is_some() {
            return Err(format!("databases.{name}: either `host` or `socket`"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Result<(), String> {
        let databases = toml::from_str(text).map_err(|error| error.to_string())?;
        check(&databases)
    }

    #[test]
    fn a_database_is_a_file_or_a_server() {
        assert_eq!(checked("[a]\nkind = \"sqlite\"\npath = \"a.db\"\n"), Ok(()));
        assert_eq!(checked("[a]\nkind = \"mariadb\"\nhost = \"db.example\"\n"), Ok(()));
        for bad in [
            "[a]\nkind = \"sqlite\"\n",
            "[a]\nkind = \"postgres\"\npath = \"x\"\n",
            "[a]\nkind = \"postgres\"\nhost = \"x\"\nsocket = \"/y\"\n",
            "[\"a/b\"]\nkind = \"postgres\"\n",
            "[a]\nkind = \"oracle\"\n",
            "[a]\nkind = \"postgres\"\npassword = \"hunter2\"\n",
        ] {
            assert!(checked(bad).is_err(), "{bad}");
        }
    }
}
