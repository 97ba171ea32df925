//! The browser's processes: none is left behind.

use std::time::{Duration, Instant};

use serde_json::json;

use super::has_browser;
use super::site::Site;
use crate::network::Session;

/// The processes that `pid` has started, and those that they have.
fn descendants(pid: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, rest)) = stat.rsplit_once(')') else { continue };
        let mut fields = rest.split_whitespace();
        let (state, parent) = (fields.next().unwrap(), fields.next().unwrap());
        if state != "Z" {
            parents.push((id, parent.parse::<u32>().unwrap()));
        }
    }
    let mut found = vec![pid];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(id, _)| *id));
        at += 1;
    }
    found.split_off(1)
}

fn is_browser(pid: &u32) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let program = line.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(program).contains("chrom")
}

fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

fn all_end(pids: &[u32]) {
    let end = Instant::now() + Duration::from_secs(5);
    while pids.iter().any(|pid| is_running(*pid)) {
        assert!(
            Instant::now() < end,
            "{:?} still run",
            pids.iter().filter(|pid| is_running(**pid)).collect::<Vec<_>>()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nothing_is_left_when_the_server_is_killed() {
    if !has_browser("nothing_is_left_when_the_server_is_killed") {
        return;
    }
    let (site, session) = (Site::start(), Session::on_loopback());
    session.open(&site.url("/"));
    let server = session.client.process().unwrap().id();
    let started: Vec<u32> = descendants(server).into_iter().filter(is_browser).collect();
    assert!(started.len() > 2, "{started:?}");
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(server.try_into().unwrap()).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    all_end(&started);
}

#[test]
fn closing_ends_it_and_another_one_starts() {
    if !has_browser("closing_ends_it_and_another_one_starts") {
        return;
    }
    let (site, session) = (Site::start(), Session::on_loopback());
    for _ in 0..2 {
        session.open(&site.url("/"));
        let started: Vec<u32> = descendants(session.client.process().unwrap().id())
            .into_iter()
            .filter(is_browser)
            .collect();
        assert!(!started.is_empty());
        assert_eq!(session.call("browser_close", json!({})).unwrap()["closed"], true);
        all_end(&started);
    }
}

#[test]
fn a_browser_that_dies_is_started_again() {
    if !has_browser("a_browser_that_dies_is_started_again") {
        return;
    }
    let (site, session) = (Site::start(), Session::on_loopback());
    session.open(&site.url("/"));
    let processes: Vec<u32> = descendants(session.client.process().unwrap().id())
        .into_iter()
        .filter(is_browser)
        .collect();
    for pid in &processes {
        let pid = rustix::process::Pid::from_raw((*pid).try_into().unwrap()).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    all_end(&processes);
    let message = session.refused("browser_snapshot", json!({}), "E_UNAVAILABLE");
    assert!(message.contains("has ended") || message.contains("has crashed"), "{message}");
    session.open(&site.url("/done"));
    assert!(session.snapshot().contains("Thanks"));
}
