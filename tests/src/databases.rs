//! Database servers of the tests: PostgreSQL and MariaDB of the component `databases`, each in a folder of its own.

use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::wait_for;

/// The password of the user `app`, which must appear nowhere.
pub const DATABASE_PASSWORD: &str = "hunter2-Zq9%x";

/// A running server, with a database `shop` and a user `app`. It ends when this is dropped, or when the thread
/// that started it ends.
pub struct DatabaseServer {
    program: PathBuf,
    folder: TempDir,
    server: Child,
    /// Its TCP port on the loopback interface.
    pub port: u16,
    /// Its Unix socket.
    pub socket: PathBuf,
    is_postgres: bool,
}

impl DatabaseServer {
    /// Starts PostgreSQL; `None` if the component is not here.
    ///
    /// # Panics
    /// If it does not start.
    pub fn postgres() -> Option<Self> {
        let program = crate::component("databases")?;
        let folder = folder("tandem-postgres-");
        let port = free_port();
        let bin = "/usr/lib/postgresql/15/bin";
        let data = folder.path().join("data");
        let password = folder.path().join("password");
        std::fs::write(&password, "postgres-password").unwrap();
        let mut setup = command(&program, &[&format!("{bin}/initdb"), "-N", "-U", "postgres"]);
        setup.args(["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]);
        setup.arg("--pwfile").arg(&password).arg("-D").arg(&data);
        assert!(setup.status().unwrap().success(), "initdb failed");
        let mut start = command(&program, &[&format!("{bin}/postgres"), "-D"]);
        start
            .arg(&data)
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-k"])
            .arg(folder.path());
        start.args([
            "-c",
            "fsync=off",
            "-c",
            "jit=off",
            "-c",
            "log_min_messages=fatal",
            "-c",
            "logging_collector=off",
        ]);
        let server = start.spawn().unwrap();
        let socket = folder.path().join(format!(".s.PGSQL.{port}"));
        let started = Self { program, folder, server, port, socket, is_postgres: true };
        wait_for("PostgreSQL", || started.run("SELECT 1").then_some(()));
        started.must(&format!("CREATE ROLE app LOGIN PASSWORD '{DATABASE_PASSWORD}'"));
        started.must("CREATE DATABASE shop OWNER app");
        Some(started)
    }

    /// Starts MariaDB and runs statements in the database `shop`; `None` if the component is not here.
    ///
    /// # Panics
    /// If it does not start.
    pub fn mariadb(statements: &[&str]) -> Option<Self> {
        let program = crate::component("databases")?;
        let folder = folder("tandem-mariadb-");
        let root = program.ancestors().nth(3).unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir_all(data.join("mysql")).unwrap();
        let mut bootstrap = String::from("use mysql;\n");
        for file in ["mysql_system_tables", "mysql_system_tables_data", "mysql_performance_tables"]
        {
            let path = root.join(format!("usr/share/mysql/{file}.sql"));
            bootstrap.push_str(&std::fs::read_to_string(path).unwrap());
        }
        let own = |words: &[&str]| {
            let mut command = command(&program, &["/usr/sbin/mariadbd", "--no-defaults"]);
            command.arg(format!("--datadir={}", data.display())).arg("--basedir=/usr").args(words);
            command
        };
        let mut setup = own(&["--bootstrap", "--log-warnings=0", "--innodb-log-file-size=10M"]);
        let mut child = setup.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(bootstrap.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success(), "the bootstrap of MariaDB failed");
        let init = folder.path().join("init.sql");
        std::fs::write(
            &init,
            format!(
                "CREATE DATABASE IF NOT EXISTS shop;\nCREATE USER app@'%' IDENTIFIED BY '{DATABASE_PASSWORD}';\n\
                 GRANT ALL ON shop.* TO app@'%';\nGRANT FILE ON *.* TO app@'%';\n\
                 USE shop;\nDELIMITER //\n{}\n//\n",
                statements.join("\n//\n")
            ),
        )
        .unwrap();
        let port = free_port();
        let socket = folder.path().join("socket");
        let mut start =
            own(&["--bind-address=127.0.0.1", "--skip-log-bin", "--innodb-log-file-size=10M"]);
        start.arg(format!("--port={port}")).arg(format!("--socket={}", socket.display()));
        start
            .arg(format!("--init-file={}", init.display()))
            .arg("--innodb-flush-log-at-trx-commit=0");
        start.arg("--skip-name-resolve").arg("--pid-file=/dev/null");
        let server = start.spawn().unwrap();
        let started = Self { program, folder, server, port, socket, is_postgres: false };
        wait_for("MariaDB", || std::net::TcpStream::connect(("127.0.0.1", port)).ok());
        Some(started)
    }

    /// Its folder, which the test can read.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Settings for it under the name `shop`; the password is in the variable `SHOP_PASSWORD`.
    pub fn settings(&self) -> String {
        let kind = if self.is_postgres { "postgres" } else { "mariadb" };
        format!(
            "[databases.shop]\nkind = \"{kind}\"\nhost = \"127.0.0.1\"\nport = {}\nuser = \"app\"\n\
             password_env = \"SHOP_PASSWORD\"\ndatabase = \"shop\"\n",
            self.port
        )
    }

    /// Runs statements of PostgreSQL as its owner, in the database `shop` if there is one.
    ///
    /// # Panics
    /// If one fails.
    pub fn must(&self, sql: &str) {
        assert!(self.run(sql), "{sql}");
    }

    /// Runs statements of PostgreSQL as its owner.
    pub fn run(&self, sql: &str) -> bool {
        self.psql("postgres", sql).is_some()
    }

    /// What `psql` prints for a statement.
    pub fn psql(&self, database: &str, sql: &str) -> Option<String> {
        let mut psql = command(&self.program, &["/usr/lib/postgresql/15/bin/psql", "-XAtq"]);
        psql.args(["-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "postgres", "-d", database]);
        psql.args(["-p", &self.port.to_string()]).env("PGPASSWORD", "postgres-password");
        let output = psql.args(["-c", sql]).stdout(Stdio::piped()).output().unwrap();
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Drop for DatabaseServer {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn command(program: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(words)
        .env_clear()
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// A folder that the component's programs see, too.
fn folder(prefix: &str) -> TempDir {
    tempfile::Builder::new().prefix(prefix).tempdir_in("/tmp").unwrap()
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}
