//! Starts Chromium in the sandbox of commands: no network of its own, no writable files but its `TMPDIR`, a PID
//! namespace that ends with this process.

use std::fs;
use std::sync::Arc;

use cdp::Transport;
use process::{
    Child, Command, Folder, Input, Isolation, Launcher, Limits, Network, Program,
    clean_environment, has_program,
};
use tools::{Code, Context, ToolError, program_refused, read_only_files};
use web::Dialer;

use crate::gate::Gate;
use crate::socks::SocksServer;

/// The variable that names the program.
pub(crate) const PROGRAM_VARIABLE: &str = "TANDEM_CHROMIUM";
/// Its usual names. The headless shell starts in half the time.
const NAMES: &[&str] = &[
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
];
/// The port of the SOCKS server, on a loopback that only the browser has.
const SOCKS_PORT: u16 = 1080;
/// Its pipes are descriptors 3 and 4; a shell knows `TMPDIR`, and moves them there.
const SHELL: &str = "exec \"$@\" --user-data-dir=\"$TMPDIR/profile\" 3<&0 4>&1 0</dev/null 1>/dev/null 2>\"$TMPDIR/log\"";

/// What Chromium is started with. Site isolation is off, so that one session reaches all frames of a page; its
/// own sandbox cannot be used inside ours.
const ARGUMENTS: &[&str] = &[
    "--headless",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-site-isolation-trials",
    "--disable-features=IsolateOrigins,site-per-process,Translate,OptimizationHints,MediaRouter,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,AutofillServerCommunication,PaintHolding",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--log-level=3",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--window-size=1280,720",
    "--proxy-bypass-list=<-loopback>",
];

/// A started browser.
pub(crate) struct Launched {
    pub(crate) child: Child,
    pub(crate) transport: Transport,
    pub(crate) network: SocksServer,
}

/// The program: what the variable names, else the first of the usual names on the `PATH`.
fn program() -> Option<String> {
    let named = std::env::var(PROGRAM_VARIABLE).ok().filter(|named| !named.is_empty());
    named.or_else(|| NAMES.iter().find(|name| has_program(name)).map(|name| (*name).to_owned()))
}

/// Starts it.
pub(crate) fn launch(
    context: &Context<'_>,
    tool: &'static str,
    gate: &Arc<Gate>,
) -> Result<Launched, ToolError> {
    let program = program().ok_or_else(|| {
        ToolError::new(Code::Unavailable, format!("{tool}: no Chromium or Chrome is installed")).hint(format!(
            "install one (`apt install chromium`), or name its program in the variable {PROGRAM_VARIABLE}"
        ))
    })?;
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        ToolError::new(Code::Io, format!("{tool}: the browser did not start: {what}: {error}"))
    };
    let root = context.snapshot.locate(".")?;
    let mut words: Vec<String> =
        ["/bin/sh", "-c", SHELL, "sh", &program].map(str::to_owned).to_vec();
    words.extend(ARGUMENTS.iter().map(|argument| (*argument).to_owned()));
    words.push(format!("--proxy-server=socks5://127.0.0.1:{SOCKS_PORT}"));
    let homes = ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"].map(str::to_owned);
    let mut environment = clean_environment();
    environment.retain(|(name, _)| !homes.contains(name));
    let mut child = Launcher::current()
        .start(Command {
            program: Program::Arguments(words),
            cwd: Folder { handle: root.open_folder()?, path: root.absolute() },
            environment,
            temporary_folders: homes.to_vec(),
            input: Input::Piped,
            isolation: Isolation {
                filesystem: read_only_files(context, tool)?,
                network: Network::None,
                may_trace: false,
                may_attach_anywhere: false,
            },
            limits: Limits::default(),
            has_sandbox_proxy: true,
        })
        .map_err(|error| program_refused(tool, &error))?;
    let proxy = child.sandbox_proxy();
    let listener =
        proxy.ok_or_else(|| failed("its network", &"there is no proxy into its sandbox"))?;
    let listener = listener.listen(SOCKS_PORT).map_err(|error| failed("its network", &error))?;
    let dialer = Dialer::new(tool, &context.session.policy.network_settings())?;
    let network = SocksServer::start(listener, gate.clone(), dialer)
        .map_err(|error| failed("its network", &error))?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(failed("its pipes", &"they are missing"));
    };
    Ok(Launched { transport: Transport::pipes(stdin, stdout), child, network })
}

/// The end of what the browser wrote to its log.
pub(crate) fn log(child: &Child) -> String {
    const SHOWN: usize = 600;
    let log = fs::read(child.temporary_folder().join("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log).into_owned();
    log[log.ceil_char_boundary(log.len().saturating_sub(SHOWN))..].trim().to_owned()
}
