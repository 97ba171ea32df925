//! Downloading an image by the daemon.

use std::ops::ControlFlow;

use http::Method;
use serde::Deserialize;

use crate::client::{Content, Dial, path};
use crate::failure::{Failure, printable};
use crate::limits::{MESSAGE_BYTES, PROGRESS_BYTES};

#[derive(Deserialize, Default)]
#[serde(default)]
struct Message {
    error: Option<String>,
}

/// Downloads an image.
pub(crate) async fn pull(dial: &Dial, name: &str) -> Result<(), Failure> {
    // The last colon behind the last slash begins the tag; a host may have a port.
    let has_tag = name.rsplit('/').next().is_some_and(|last| last.contains([':', '@']));
    let whole = if has_tag { name.to_owned() } else { format!("{name}:latest") };
    let path = path("/images/create", &[("fromImage", &whole)]);
    let (mut rest, mut received) = (Vec::new(), 0_u64);
    dial.stream(Method::POST, &path, Content::Nothing, |piece| {
        received += piece.len() as u64;
        rest.extend_from_slice(piece);
        if received > PROGRESS_BYTES {
            return Err(Failure::TooLarge(
                "the daemon reports too much of the download".to_owned(),
            ));
        }
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            check(&line)?;
        }
        if rest.len() > MESSAGE_BYTES {
            return Err(Failure::Protocol("a message of the download is too long".to_owned()));
        }
        Ok(ControlFlow::Continue(()))
    })
    .await?;
    check(&rest)
}

fn check(line: &[u8]) -> Result<(), Failure> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok(());
    }
    let message: Message = serde_json::from_slice(line)
        .map_err(|_| Failure::Protocol("a message of the download is no JSON".to_owned()))?;
    match message.error {
        Some(error) => Err(Failure::Refused { status: 500, message: printable(&error) }),
        None => Ok(()),
    }
}
