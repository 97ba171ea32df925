//! Two servers of one workspace, and its one file of breakpoints.

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::Home;

const BREAKPOINTS: usize = 30;

/// Another server on the workspace.
fn server(home: &Home) -> Client {
    let client = Client::spawn(home.command().arg("lsp")).unwrap();
    client.on_request(|_, _| Answer::Default);
    client.initialize(&home.root(), json!({})).unwrap();
    client
}

fn breakpoint(client: &Client, params: Value) -> Value {
    client.execute_command("tandem.debug_breakpoint", json!([params])).unwrap()
}

fn set(client: &Client, line: usize) {
    breakpoint(client, json!({ "action": "set", "file": "a.py", "line": line }));
}

fn lines(client: &Client) -> Vec<u64> {
    let listed = breakpoint(client, json!({ "action": "list" }));
    let all = listed["breakpoints"].as_array().unwrap().iter();
    let mut lines: Vec<_> = all.map(|one| one["line"].as_u64().unwrap()).collect();
    lines.sort_unstable();
    lines
}

fn home() -> Home {
    let home = Home::new();
    let text: String = (1..=BREAKPOINTS).map(|line| format!("x{line} = {line}\n")).collect();
    std::fs::write(home.root().join("a.py"), text).unwrap();
    home
}

#[test]
fn each_server_keeps_its_own_breakpoints_and_leaves_the_others() {
    let home = home();
    let first = server(&home);
    set(&first, 1);
    set(&first, 2);
    let second = server(&home);
    assert_eq!(lines(&second), [1, 2]);
    breakpoint(&second, json!({ "action": "remove", "file": "a.py", "line": 1 }));
    set(&second, 5);
    set(&first, 7);
    assert_eq!((lines(&first), lines(&second)), (vec![1, 2, 7], vec![2, 5]));
    let third = server(&home);
    assert_eq!(lines(&third), [2, 5, 7]);
}

#[test]
fn breakpoints_set_by_both_servers_at_once_are_all_kept() {
    let home = home();
    let servers = [server(&home), server(&home)];
    std::thread::scope(|scope| {
        for (own, client) in servers.iter().enumerate() {
            scope.spawn(move || {
                for line in (1..=BREAKPOINTS).filter(|line| line % 2 == own) {
                    set(client, line);
                }
            });
        }
    });
    drop(servers);
    let all: Vec<u64> = (1..=BREAKPOINTS as u64).collect();
    assert_eq!(lines(&server(&home)), all);
}
