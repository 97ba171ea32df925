//! `tandem audit`

use std::process::ExitCode;

use jiff::{SignedDuration, Timestamp};
use tools::{AuditError, AuditFilter, AuditLog, Call};
use workspace::{Root, Workspace};

use crate::cli::AuditArgs;
use crate::stdout::print_line;

pub(crate) fn run(args: &AuditArgs) -> ExitCode {
    let since = match args.since.as_deref().map(parse_time).transpose() {
        Ok(since) => since,
        Err(message) => {
            anstream::eprintln!("tandem audit: --since: {message}");
            return ExitCode::from(2);
        }
    };
    let root = match Root::open(&args.workspace) {
        Ok(root) => root,
        Err(error) => {
            anstream::eprintln!("tandem audit: {error}");
            return ExitCode::FAILURE;
        }
    };
    let filter = AuditFilter {
        limit: args.limit,
        since,
        tool: args
            .tool
            .as_deref()
            .map(|name| tools::find(name).map_or(name, |tool| tool.name).to_owned()),
        outcome: args.outcome.clone(),
        ..AuditFilter::default()
    };
    let log = AuditLog::of(&Workspace::new(vec![root]).snapshot());
    let done = log
        .and_then(|log| if args.verify { verify(&log, args) } else { list(&log, &filter, args) });
    done.unwrap_or_else(|error| {
        anstream::eprintln!("tandem audit: {error}");
        ExitCode::FAILURE
    })
}

fn list(log: &AuditLog, filter: &AuditFilter, args: &AuditArgs) -> Result<ExitCode, AuditError> {
    let calls = log.calls(filter)?;
    if args.json {
        print_line!("{}", serde_json::json!(calls));
        return Ok(ExitCode::SUCCESS);
    }
    if calls.is_empty() {
        print_line!("No calls recorded.");
    }
    for call in &calls {
        print_line!("{}", printable(&format_call(call)));
    }
    Ok(ExitCode::SUCCESS)
}

fn format_call(call: &Call) -> String {
    let effects = match call.effects.as_slice() {
        [] => String::new(),
        [one] => format!("  {one}"),
        [first, rest @ ..] => format!("  {first} and {} more", rest.len()),
    };
    let message = call.message.iter().chain(&call.decision).next();
    let message = message.filter(|_| call.outcome != "ok").map(|m| format!("\n    {m}"));
    format!(
        "{}  {:<12} {:<18}{effects}  {:.1} ms{}",
        call.time,
        call.outcome,
        call.tool,
        call.duration_ms,
        message.unwrap_or_default()
    )
}

fn verify(log: &AuditLog, args: &AuditArgs) -> Result<ExitCode, AuditError> {
    let verified = log.verify()?;
    if args.json {
        print_line!("{}", serde_json::json!(verified));
    } else {
        let (rows, head) = (verified.rows, &verified.head);
        match &verified.broken {
            None => print_line!("{rows} rows, not tampered with; the chain ends in {head}"),
            Some((row, why)) => print_line!("tampered with at row {row} of {rows}: {why}"),
        }
    }
    Ok(if verified.broken.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Parses a time: `2031-05-04T12:00:00Z`, or an age such as `90m`, `2h`, `7d`.
fn parse_time(written: &str) -> Result<Timestamp, String> {
    if let Ok(time) = written.parse() {
        return Ok(time);
    }
    let seconds = match written.chars().last() {
        Some('s') => 1,
        Some('m') => 60,
        Some('h') => 3_600,
        Some('d') => 86_400,
        _ => 0,
    };
    let number = written.get(..written.len().saturating_sub(1)).and_then(|n| n.parse::<i64>().ok());
    number
        .filter(|number| *number >= 0 && seconds > 0)
        .and_then(|number| number.checked_mul(seconds))
        .and_then(|ago| Timestamp::now().checked_sub(SignedDuration::from_secs(ago)).ok())
        .ok_or_else(|| {
            format!("`{written}` is not a time: use 2031-05-04T12:00:00Z, 90m, 2h or 7d")
        })
}

/// Replaces control and bidi characters, so that logged text cannot manipulate the terminal.
fn printable(text: &str) -> String {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if c != '\n' && hidden(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_absolute_or_relative() {
        assert_eq!(parse_time("2031-05-04T12:00:00Z").unwrap().as_second(), 1_935_662_400);
        let then = parse_time("2h").unwrap();
        let ago = Timestamp::now().duration_since(then).as_secs();
        assert!((7_200..7_260).contains(&ago), "{ago}");
        for wrong in ["", "h", "-1h", "1w", "yesterday", "\u{e9}", "99999999999999999999d"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }
}
