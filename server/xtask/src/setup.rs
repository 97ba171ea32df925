//! `cargo xtask setup`: every component of the table that tests need, in the cache, ready to run.

use crate::Failure;
use crate::components::{self, Component};
use crate::install;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The state of one component after setup.
pub(crate) struct ComponentStatus {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) purpose: String,
    /// The environment variable by which tests find the program.
    pub(crate) variable: String,
    /// The program, or why it cannot be had.
    pub(crate) program: Result<PathBuf, Failure>,
}

/// Brings what is missing of the components of one command and says so. A component that cannot be had is an entry of the result,
/// not an error.
///
/// # Errors
/// Only what stops every component: no cache folder, no lock.
pub(crate) fn run(command: &str) -> Result<Vec<ComponentStatus>, Failure> {
    let cache = components::cache()?;
    println!("cache: {}", cache.display());
    let components = components::all()?.into_iter().filter(|its| its.command == command);
    let mut lock = None;
    let mut parts = Vec::new();
    for component in components {
        if lock.is_none() && needs_work(&component, &cache) {
            lock = Some(locked(&cache)?);
        }
        let program = install_component(&component, &cache);
        if let Err(reason) = &program {
            println!("{} {}: cannot be had: {reason}", component.name, component.version);
        }
        let Component { name, version, purpose, variable, .. } = component;
        parts.push(ComponentStatus { name, version, purpose, variable, program });
    }
    Ok(parts)
}

/// The components that are not available, with the reasons.
pub(crate) fn missing(parts: &[ComponentStatus]) -> Option<String> {
    let reasons = parts.iter().filter_map(|part| {
        let reason = part.program.as_ref().err()?;
        Some(format!("{} cannot be had: {reason}", part.name))
    });
    let reasons: Vec<_> = reasons.collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// The command by itself: it fails when a part is missing, since parts are all it is for.
pub(crate) fn run_alone() -> Result<(), Failure> {
    let missing: Vec<_> = run("setup")?
        .into_iter()
        .filter(|part| part.program.is_err())
        .map(|part| format!("{} (needed by {})", part.name, part.purpose))
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("missing: {}", missing.join(", "))) }
}

/// Says what is needed, what is there and where, and changes nothing.
pub(crate) fn list() -> Result<(), Failure> {
    let cache = components::cache()?;
    println!("cache: {}", cache.display());
    for component in components::all()? {
        let state = match configured_program(&component) {
            Some(program) => format!("{}={}", component.variable, program.display()),
            None if install::is_ready(&component, &cache) => {
                format!("ready: {}", component.installed(&cache).display())
            }
            None => format!("not installed: `cargo xtask {}` brings it", component.command),
        };
        println!(
            "{} {}, needed by {}\n    {state}",
            component.name, component.version, component.purpose
        );
    }
    Ok(())
}

/// The program that the person chose by the component's variable.
fn configured_program(component: &Component) -> Option<PathBuf> {
    let value = std::env::var_os(&component.variable)?;
    (!value.is_empty()).then(|| value.into())
}

fn needs_work(component: &Component, cache: &Path) -> bool {
    configured_program(component).is_none() && !install::is_ready(component, cache)
}

fn install_component(component: &Component, cache: &Path) -> Result<PathBuf, Failure> {
    let title = format!("{} {}", component.name, component.version);
    if let Some(program) = configured_program(component) {
        println!("{title}: {} is set, using {}", component.variable, program.display());
        return Ok(program);
    }
    let program = component.installed(cache);
    // Looked at again under the lock: another run may have installed it while this one waited.
    if install::is_ready(component, cache) {
        println!("{title}: ready, {}", program.display());
        return Ok(program);
    }
    println!("{title}: installing, needed by {}", component.purpose);
    let start = Instant::now();
    install::install(component, cache)?;
    println!("{title}: installed in {:.1?}, {}", start.elapsed(), program.display());
    Ok(program)
}

/// Waits for other runs on the same cache. The lock ends with the file, so also with the process.
pub(crate) fn locked(cache: &Path) -> Result<File, Failure> {
    let path = cache.join("lock");
    let failed = |error: &std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(cache).map_err(|error| failed(&error))?;
    let file = File::create(&path).map_err(|error| failed(&error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            println!("another setup is at work on this cache: waiting for it");
            file.lock().map_err(|error| failed(&error))?;
        }
        Err(TryLockError::Error(error)) => return Err(failed(&error)),
    }
    Ok(file)
}
