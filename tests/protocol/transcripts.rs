//! Every transcript of `fixtures/transcripts`, replayed.

use std::path::Path;

use client::Client;
use tests::transcript::Transcript;
use tests::{Home, RESPONSE_TIMEOUT};

#[test]
fn every_transcript_is_followed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/transcripts");
    let mut paths: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 5, "transcripts are missing: {paths:?}");
    let mut failures = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let source = std::fs::read_to_string(&path).unwrap();
        let transcript = Transcript::parse(&source).unwrap_or_else(|why| panic!("{name}: {why}"));
        let home = Home::new();
        transcript.lay_out(&home.root());
        let client = Client::spawn(home.command().arg("lsp")).unwrap();
        if let Err(why) =
            transcript.replay(&client, &client::file_uri(&home.root()), RESPONSE_TIMEOUT, |_, _| ())
        {
            failures.push(format!("{name}: {why}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
