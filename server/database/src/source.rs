//! How a database is opened.

use std::path::PathBuf;
use std::time::Duration;

use crate::engine::{Engine, Kind};
use crate::failure::Failure;
use crate::login::Login;
use crate::mysql::{Mysql, MysqlPurpose};
use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::wire::{Dial, Stop};

/// A database that policy has decided on.
#[derive(Clone)]
pub(crate) enum Source {
    /// A file inside a root, by its path without links.
    Sqlite(PathBuf),
    Postgres(Dial, Login),
    Mysql(Dial, Login),
}

impl Source {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::Sqlite(_) => Kind::Sqlite,
            Self::Postgres(..) => Kind::Postgres,
            Self::Mysql(..) => Kind::Mysql,
        }
    }

    /// Opens it, read-only unless `writes`.
    pub(crate) fn open(
        &self,
        writes: bool,
        timeout: Duration,
        stop: &Stop,
    ) -> Result<Box<dyn Engine>, Failure> {
        Ok(match self {
            Self::Sqlite(path) => Box::new(Sqlite::open(path, writes)?),
            Self::Postgres(dial, login) => {
                Box::new(Postgres::open(dial, login, writes, timeout, stop)?)
            }
            Self::Mysql(dial, login) => {
                let purpose =
                    if writes { MysqlPurpose::Write(timeout) } else { MysqlPurpose::Read(timeout) };
                Box::new(Mysql::open(dial, login, purpose, stop)?)
            }
        })
    }
}
