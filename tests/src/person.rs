//! A server whose settings are a person's own, and who answers its questions.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::{Arc, Mutex};

use client::{Answer, Client};
use serde_json::json;

use crate::Home;

/// The questions that a person was asked, in order.
pub type Questions = Arc<Mutex<Vec<String>>>;

/// Writes the person's settings.
pub fn user_config(home: &Home, text: &str) {
    let folder = home.outside().join("config/tandem");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("config.toml");
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(file, PermissionsExt::from_mode(0o600)).unwrap();
}

/// Starts `command`, a server in `home`, with an editor in which `answer` decides on each question by the title of
/// a button.
pub fn start_with_person(
    home: &Home,
    command: &mut Command,
    answer: impl Fn(&str) -> &'static str + Send + Sync + 'static,
) -> (Client, Questions) {
    let client = Client::spawn(command.arg("lsp")).unwrap();
    let questions = Questions::default();
    let seen = questions.clone();
    client.on_request(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        let question = request.params["message"].as_str().unwrap().to_owned();
        let title = answer(&question);
        seen.lock().unwrap().push(question);
        Answer::Result(json!({ "title": title }))
    });
    let capabilities =
        json!({ "window": { "showMessage": {} }, "workspace": { "applyEdit": true } });
    client.initialize(&home.root(), capabilities).unwrap();
    (client, questions)
}
