//! A desktop session of the tests: Xvfb, openbox and programs of the component `desktop`, on a display of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Time for a program to start, on a loaded machine.
const START: Duration = Duration::from_secs(20);

/// A running session. All of its processes end with it, also if the test is killed: the kernel kills them when
/// the thread that started them ends.
pub struct Desktop {
    program: PathBuf,
    folder: TempDir,
    /// Its display: `:1`.
    pub display: String,
    server: Child,
    programs: Vec<Child>,
    /// Whether programs report their elements.
    is_accessible: bool,
}

impl Desktop {
    /// Starts a session with a screen of this size; `None` if the component is not here.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(size: &str) -> Option<Self> {
        let program = crate::component("desktop")?;
        // What is outside of `/tmp` the programs do not see.
        let folder = tempfile::Builder::new().prefix("tandem-desktop-").tempdir_in("/tmp").unwrap();
        let line = format!(
            "exec Xvfb -displayfd 3 -screen 0 {size}x24 -nolisten tcp -noreset 3>'{}/display' 2>/dev/null",
            folder.path().display()
        );
        let server =
            in_component(&program, folder.path(), &["/bin/sh", "-c", &line]).spawn().unwrap();
        let written = folder.path().join("display");
        let number = wait_for("Xvfb", || {
            let number = std::fs::read_to_string(&written).ok()?;
            number.ends_with('\n').then(|| number.trim().to_owned())
        });
        let mut desktop = Self {
            program,
            folder,
            display: format!(":{number}"),
            server,
            programs: Vec::new(),
            is_accessible: false,
        };
        desktop.run(&["/usr/bin/openbox"]);
        wait_for("openbox", || {
            let answer = desktop.command(&["/usr/bin/xdotool", "get_desktop"]).status().unwrap();
            answer.success().then_some(())
        });
        Some(desktop)
    }

    /// Starts the accessibility services: programs that are started after it report their elements.
    ///
    /// # Panics
    /// If they do not start.
    pub fn report_elements(&mut self) {
        self.is_accessible = true;
        let bus = self.folder.path().join("bus");
        let address = format!("--address=unix:path={}", bus.display());
        self.run_named(&["/usr/bin/dbus-daemon", "--session", "--nofork", &address]);
        wait_for("the bus of the session", || bus.exists().then_some(()));
        self.run_named(&["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"]);
        let number = self.display.trim_start_matches(':');
        let bus = self.folder.path().join(format!("at-spi/bus_{number}"));
        wait_for("the accessibility bus", || bus.exists().then_some(()));
    }

    /// Starts a program that needs a name for its user.
    fn run_named(&mut self, words: &[&str]) {
        let child = self.command(words).env("NAMED_USER", "1").spawn().unwrap();
        self.programs.push(child);
    }

    /// The address of the accessibility bus.
    pub fn accessibility_bus(&self) -> String {
        let number = self.display.trim_start_matches(':');
        format!("unix:path={}/at-spi/bus_{number}", self.folder.path().display())
    }

    /// The folder that its programs share with the test.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts a program, which ends with the session.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn run(&mut self, words: &[&str]) {
        let child = self.command(words).spawn().unwrap();
        self.programs.push(child);
    }

    /// A program of the session.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = in_component(&self.program, self.folder.path(), words);
        command.env("DISPLAY", &self.display);
        if self.is_accessible {
            let folder = self.folder.path().display();
            command
                .env_remove("NO_AT_BRIDGE")
                .env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={folder}/bus"))
                .env("XDG_RUNTIME_DIR", self.folder.path());
        }
        command
    }

    /// Starts a terminal in which a shell line runs.
    pub fn terminal(&mut self, title: &str, options: &[&str], line: &str) {
        let mut words = vec!["/usr/bin/xterm", "-u8", "-T", title];
        words.extend(options);
        words.extend(["-e", "/bin/sh", "-c", line]);
        self.run(&words);
    }

    /// A script that runs the component's Tesseract, with its own libraries and data.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn tesseract(folder: &Path) -> Option<PathBuf> {
        use std::os::unix::fs::PermissionsExt;
        let program = crate::component("desktop")?;
        let root = program.ancestors().nth(3).unwrap().display().to_string();
        let script = folder.join("tesseract");
        let text = format!(
            "#!/bin/sh\nexport TESSDATA_PREFIX='{root}/usr/share/tesseract-ocr/5/tessdata'\nexec '{root}'/lib64/ld-linux-*.so.2 \
             --library-path '{root}/usr/lib/x86_64-linux-gnu:{root}/lib/x86_64-linux-gnu' '{root}/usr/bin/tesseract' \"$@\"\n"
        );
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        Some(script)
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for child in self.programs.iter_mut().chain([&mut self.server]) {
            let _ = child.kill();
            let _ = child.wait();
        }
        // A server that is killed leaves them.
        let number = self.display.trim_start_matches(':');
        let _ = std::fs::remove_file(format!("/tmp/.X{number}-lock"));
        let _ = std::fs::remove_file(format!("/tmp/.X11-unix/X{number}"));
    }
}

/// A program of the component, which is killed when the thread that starts it ends.
fn in_component(program: &Path, home: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(words)
        .env_clear()
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
        .env("LANG", "C.UTF-8")
        .env("HOME", home)
        .env("NO_AT_BRIDGE", "1")
        // No program of the session keeps settings.
        .env("GSETTINGS_BACKEND", "memory")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Waits until something is there.
///
/// # Panics
/// If it takes too long.
pub fn wait_for<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + START;
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < end, "{what} is not there after {START:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
