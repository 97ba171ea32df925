//! Which database a call means: one of the person's settings, a file, a URL, or one that the project names.

use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use tools::{Code, Context, DatabaseKind, DatabaseSettings, Effect, EffectKind, Target, ToolError};
use url::Url;
use web::{Endpoint, HostName};
use workspace::{FileKind, FilePath};

use crate::engine::Kind;
use crate::limits::CONNECT_TIMEOUT;
use crate::login::Login;
use crate::project::{FoundDatabase, found_databases};
use crate::source::Source;
use crate::wire::{Address, Dial};

/// A database that a call names.
pub(crate) struct Database {
    /// Its name in questions, rules and records: never with a password.
    pub(crate) name: String,
    place: Place,
    /// The file that names it, if it was found in the project.
    found_in: Option<FilePath>,
    /// Whether the person named it in their settings.
    is_of_settings: bool,
}

enum Place {
    File(FilePath),
    Server { kind: Kind, endpoint: ServerPlace, login: Login, tls: bool },
}

enum ServerPlace {
    Tcp(Endpoint),
    Socket(PathBuf),
}

impl Database {
    /// Finds the database that a call names; without a name, the only one that there is.
    pub(crate) fn find(
        context: &Context<'_>,
        tool: &str,
        written: Option<&str>,
    ) -> Result<Self, ToolError> {
        let settings = context.session.policy.databases();
        let Some(written) = written.map(str::trim).filter(|written| !written.is_empty()) else {
            let found = found_databases(context);
            return match (settings.len(), found.len()) {
                (1, _) => {
                    let (name, settings) = settings.iter().next().ok_or_else(|| none(tool))?;
                    Self::of_settings(context, tool, name, settings)
                }
                (0, 1) => Self::of_project(context, tool, &found[0]),
                _ => Err(none_named(context, tool)),
            };
        };
        if let Some(settings) = settings.get(written) {
            return Self::of_settings(context, tool, written, settings);
        }
        if let Some((scheme, _)) = written.split_once(':')
            && !scheme.contains('/')
        {
            return Self::of_url(context, tool, written);
        }
        if let Some(found) = found_databases(context).iter().find(|found| found.name == written) {
            return Self::of_project(context, tool, found);
        }
        Self::of_file(context, tool, written)
    }

    fn of_settings(
        context: &Context<'_>,
        tool: &str,
        name: &str,
        settings: &DatabaseSettings,
    ) -> Result<Self, ToolError> {
        let kind = match settings.kind {
            DatabaseKind::Sqlite => {
                let path = settings.path.as_deref().unwrap_or_default();
                return Ok(Self { is_of_settings: true, ..Self::of_file(context, tool, path)? });
            }
            DatabaseKind::Postgres => Kind::Postgres,
            DatabaseKind::Mysql => Kind::Mysql,
        };
        let password = match &settings.password_env {
            None => None,
            Some(variable) => Some(std::env::var(variable).map_err(|_| {
                let message =
                    format!("{tool}: {name}: the environment variable {variable} is not set");
                ToolError::new(Code::Unavailable, message).hint("set it where tandem is started")
            })?),
        };
        let endpoint = match &settings.socket {
            Some(socket) => ServerPlace::Socket(PathBuf::from(socket)),
            None => {
                let host = HostName::parse(tool, settings.host.as_deref().unwrap_or("localhost"))?;
                ServerPlace::Tcp(Endpoint { host, port: settings.port.unwrap_or(usual_port(kind)) })
            }
        };
        let user = settings.user.clone().unwrap_or_else(|| usual_user(kind).to_owned());
        let database = settings.database.clone().unwrap_or_else(|| usual_database(kind, &user));
        let tls = settings.tls.unwrap_or_else(|| is_remote(&endpoint));
        let login = Login { user, password, database };
        Ok(Self {
            name: name.to_owned(),
            place: Place::Server { kind, endpoint, login, tls },
            found_in: None,
            is_of_settings: true,
        })
    }

    fn of_project(
        context: &Context<'_>,
        tool: &str,
        found: &FoundDatabase,
    ) -> Result<Self, ToolError> {
        let database = Self::of_url(context, tool, &found.url)?;
        Ok(Self { found_in: Some(found.file.clone()), ..database })
    }

    fn of_url(context: &Context<'_>, tool: &str, written: &str) -> Result<Self, ToolError> {
        // The text may hold a password, so no message repeats it.
        let invalid = |why: &str| {
            ToolError::new(Code::InvalidParams, format!("{tool}: `connection`: {why}"))
                .hint("write `postgres://USER@HOST:PORT/DATABASE`, `mysql://…`, or the path of a SQLite file")
        };
        let (scheme, rest) = written.split_once(':').ok_or_else(|| invalid("no URL"))?;
        let kind = match scheme.split('+').next().unwrap_or_default() {
            "sqlite" | "sqlite3" | "file" => {
                let path = rest.strip_prefix("//").unwrap_or(rest);
                // SQLAlchemy writes three slashes before a relative path.
                let path = match path.strip_prefix("//") {
                    Some(_) => &path[1..],
                    None if scheme.starts_with("sqlite") && rest.starts_with("///") => &path[1..],
                    None => path,
                };
                let path = path.split('?').next().unwrap_or_default();
                return Self::of_file(context, tool, path);
            }
            "postgres" | "postgresql" | "psql" | "pgsql" => Kind::Postgres,
            "mysql" | "mysql2" | "mariadb" => Kind::Mysql,
            _ => return Err(invalid("an unknown kind of database")),
        };
        // A scheme that the URL standard does not treat specially.
        let url = Url::parse(&format!("db:{rest}")).map_err(|error| invalid(&error.to_string()))?;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let host = url.host_str().filter(|host| !host.is_empty()).unwrap_or("localhost");
        let host = HostName::parse(tool, &decoded(host))?;
        let endpoint =
            ServerPlace::Tcp(Endpoint { host, port: url.port().unwrap_or(usual_port(kind)) });
        let user = match url.username() {
            "" => usual_user(kind).to_owned(),
            user => decoded(user),
        };
        let database = decoded(url.path().trim_start_matches('/'));
        let database = if database.is_empty() { usual_database(kind, &user) } else { database };
        let mut tls = is_remote(&endpoint);
        for (key, value) in url.query_pairs() {
            if matches!(key.as_ref(), "sslmode" | "ssl-mode" | "ssl") {
                tls = !matches!(
                    value.to_ascii_lowercase().as_str(),
                    "disable" | "disabled" | "false" | "0"
                );
            }
        }
        let ServerPlace::Tcp(at) = &endpoint else { return Err(invalid("no host")) };
        let name = format!("{user}@{at}/{database}");
        let login = Login { user, password: url.password().map(decoded), database };
        let place = Place::Server { kind, endpoint, login, tls };
        Ok(Self { name, place, found_in: None, is_of_settings: false })
    }

    fn of_file(context: &Context<'_>, tool: &str, written: &str) -> Result<Self, ToolError> {
        let path = context.snapshot.locate(written).map_err(ToolError::from)?;
        match context.snapshot.entry(&path) {
            // Opening a pipe would wait for somebody who writes to it.
            Ok(entry) if entry.kind != FileKind::File => {
                let message = format!("{tool}: {}: is no regular file", path.display_path());
                return Err(ToolError::new(Code::Unsupported, message));
            }
            Ok(_) => {}
            Err(error) => {
                let error = ToolError::from(error);
                let known = known_names(context);
                return Err(match known.is_empty() {
                    true => {
                        error.hint(format!("{tool} opens a SQLite file of the workspace, or a URL"))
                    }
                    false => {
                        error.hint(format!("databases that are known here: {}", known.join(", ")))
                    }
                });
            }
        }
        let name = path.display_path();
        Ok(Self { name, place: Place::File(path), found_in: None, is_of_settings: false })
    }

    pub(crate) fn kind(&self) -> Kind {
        match &self.place {
            Place::File(_) => Kind::Sqlite,
            Place::Server { kind, .. } => *kind,
        }
    }

    /// The effects of opening it.
    pub(crate) fn effects(&self, writes: bool) -> Vec<Effect> {
        match &self.place {
            Place::File(path) if writes => vec![Effect::read(path), Effect::write(path)],
            Place::File(path) => vec![Effect::read(path)],
            Place::Server { endpoint, login, .. } => {
                let mut effects = Vec::new();
                effects.extend(self.found_in.as_ref().map(Effect::read));
                let detail = format!("log in as {} at the database {}", login.user, login.database);
                let reach = match endpoint {
                    ServerPlace::Tcp(endpoint) => endpoint.effect(),
                    ServerPlace::Socket(path) => {
                        Effect::network(format!("{} (unix socket)", path.display()))
                    }
                };
                effects.push(reach.with_detail(detail));
                if !self.is_of_settings {
                    effects.push(named(format!("database/read/{}", self.name)));
                }
                effects
            }
        }
    }

    /// The effect of a change, as `UPDATE items`.
    pub(crate) fn change_effect(&self, change: &str) -> Effect {
        named(format!("database/write/{}/{change}", self.name.replace('/', "_")))
    }

    /// Looks the server up, for a call whose effects policy has decided on.
    pub(crate) fn source(
        self,
        context: &Context<'_>,
        tool: &'static str,
    ) -> Result<Source, ToolError> {
        let (kind, endpoint, login, tls) = match self.place {
            Place::File(path) => return Ok(Source::Sqlite(path.absolute())),
            Place::Server { kind, endpoint, login, tls } => (kind, endpoint, login, tls),
        };
        let address = match endpoint {
            ServerPlace::Socket(path) => Address::Socket(path),
            ServerPlace::Tcp(endpoint) => {
                let addresses = web::checked_addresses(context, tool, &endpoint, CONNECT_TIMEOUT)?;
                Address::Tcp { host: endpoint.host.to_string(), port: endpoint.port, addresses }
            }
        };
        let tls = if tls { Some(web::tls(tool)?) } else { None };
        let dial = Dial { address, tls };
        Ok(match kind {
            Kind::Mysql => Source::Mysql(dial, login),
            _ => Source::Postgres(dial, login),
        })
    }
}

fn named(name: String) -> Effect {
    Effect { kind: EffectKind::Admin, target: Target::Named(name), detail: None }
}

fn usual_port(kind: Kind) -> u16 {
    if kind == Kind::Mysql { 3306 } else { 5432 }
}

fn usual_user(kind: Kind) -> &'static str {
    if kind == Kind::Mysql { "root" } else { "postgres" }
}

fn usual_database(kind: Kind, user: &str) -> String {
    if kind == Kind::Mysql { String::new() } else { user.to_owned() }
}

/// Whether a server is on another machine, as far as its name shows.
fn is_remote(place: &ServerPlace) -> bool {
    match place {
        ServerPlace::Socket(_) => false,
        ServerPlace::Tcp(endpoint) => match endpoint.host.known_addresses() {
            Some(addresses) => !addresses.iter().all(std::net::IpAddr::is_loopback),
            None => true,
        },
    }
}

/// The names by which databases can be called, for messages.
fn known_names(context: &Context<'_>) -> Vec<String> {
    let mut names: Vec<String> = context.session.policy.databases().into_keys().collect();
    names.extend(found_databases(context).into_iter().map(|found| found.name));
    names
}

fn none_named(context: &Context<'_>, tool: &str) -> ToolError {
    let known = known_names(context);
    if known.is_empty() {
        return none(tool);
    }
    let message = format!("{tool}: `connection` is missing, and there are several databases");
    ToolError::new(Code::InvalidParams, message).hint(format!("name one of {}", known.join(", ")))
}

fn none(tool: &str) -> ToolError {
    let message = format!("{tool}: `connection` is missing, and no database is known here");
    ToolError::new(Code::InvalidParams, message)
        .hint("write the path of a SQLite file, or `postgres://USER@HOST:PORT/DATABASE`")
}
