//! `tandem patch`

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use crate::call::{self, Target};
use crate::cli::PatchArgs;
use crate::stdout::print_line;
use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

/// Most bytes of one patch.
const MAX_PATCH_BYTES: u64 = 64 << 20;

pub(crate) fn run(args: &PatchArgs) -> ExitCode {
    let target = Target { folder: &args.workspace, yes: args.yes, headless: args.headless };
    for file in &args.files {
        let text = match read(file) {
            Ok(text) => text,
            Err(error) => {
                anstream::eprintln!("tandem patch: {}: {error}", file.display());
                return ExitCode::from(2);
            }
        };
        let mut params = json!({ "patch": text, "dry_run": args.dry_run || args.check });
        if let Some(path) = &args.path {
            params["path"] = json!(path);
        }
        match call::call_in_workspace(target, "apply_edit", params) {
            Ok(result) if args.check => drop(result),
            Ok(result) => print_diff(&result),
            Err(error) => {
                print_error(file, &error);
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn read(file: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    if file == Path::new("-") {
        std::io::stdin().take(MAX_PATCH_BYTES).read_to_string(&mut text)?;
    } else {
        std::fs::File::open(file)?.take(MAX_PATCH_BYTES).read_to_string(&mut text)?;
    }
    Ok(text)
}

fn print_diff(result: &Value) {
    for file in result["files"].as_array().into_iter().flatten() {
        for line in file["diff"].as_str().unwrap_or_default().lines() {
            let style = match line.as_bytes().first() {
                Some(b'+') => Style::new().fg_color(Some(AnsiColor::Green.into())),
                Some(b'-') => Style::new().fg_color(Some(AnsiColor::Red.into())),
                Some(b'@') => Style::new().fg_color(Some(AnsiColor::Cyan.into())),
                _ => Style::new(),
            };
            print_line!("{style}{line}{style:#}");
        }
    }
}

/// Prints what failed, the closest candidates, and hints.
fn print_error(file: &Path, error: &Value) {
    let message = error["message"].as_str().unwrap_or_default();
    anstream::eprintln!("tandem patch: {}: {message}", file.display());
    for failure in error["details"]["failures"].as_array().into_iter().flatten() {
        let text = |key: &str| failure[key].as_str().unwrap_or_default();
        anstream::eprintln!("  {}: {}", text("path"), text("message"));
        for candidate in failure["candidates"].as_array().into_iter().flatten() {
            let difference = candidate["difference"].as_str().unwrap_or_default();
            let (start, end) = (&candidate["start_line"], &candidate["end_line"]);
            anstream::eprintln!("    lines {start}-{end} {difference}");
        }
        if !text("hint").is_empty() {
            anstream::eprintln!("    {}", text("hint"));
        }
    }
    anstream::eprintln!("Nothing was changed.");
}
