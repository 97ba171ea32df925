//! Parses the commands of `tandem debug`, with the usual short forms.

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DebugCommand {
    /// Sets a breakpoint.
    Break {
        location: BreakpointLocation,
        condition: Option<String>,
    },
    /// Lists the breakpoints.
    Breakpoints,
    /// Removes one breakpoint, or all.
    Delete(Option<u64>),
    /// Starts the program; `stop_on_entry` stops it at the entry.
    Run {
        stop_on_entry: bool,
    },
    Continue,
    Next,
    Step,
    Finish,
    Print(String),
    Backtrace,
    /// Selects a frame.
    Frame(usize),
    Locals,
    List,
    /// Prints an expression at each stop; `None` removes all.
    Watch(Option<String>),
    Threads,
    Help,
    Quit,
}

/// Where a breakpoint is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BreakpointLocation {
    /// A line of the current file.
    Line(u32),
    FileLine(String, u32),
    /// A function or method.
    Symbol(String),
}

pub(super) const HELP: &str = "\
break FILE:LINE | LINE | NAME [if EXPRESSION]   set a breakpoint (b)
breakpoints, delete [NUMBER]                    list breakpoints; delete one, or all (d)
run, start                                      start the program; `start` stops at its entry (r)
continue, next, step, finish                    resume; step over, into, out (c, n, s, fin)
print EXPRESSION                                evaluate in the selected frame (p)
watch [EXPRESSION]                              print it at each stop; without one, clear all (w)
backtrace, frame NUMBER, locals, threads        inspect the program (bt, f)
list                                            show the source around (l)
quit                                            end the program and exit (q)
An empty line repeats the last continue, next, step or finish. Ctrl-C pauses the program.";

/// Parses one line.
///
/// # Errors
/// A message, if it is not a valid command.
pub(super) fn parse(line: &str) -> Result<DebugCommand, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let wants = |what: &str| Err(format!("{word}: {what}"));
    let number = || rest.parse().map_err(|_| format!("{word}: `{rest}` is not a number"));
    Ok(match word {
        "b" | "break" if rest.is_empty() => DebugCommand::Breakpoints,
        "b" | "break" => {
            let (location, condition) = match rest.split_once(" if ") {
                Some((location, condition)) => (location.trim(), Some(condition.trim().to_owned())),
                None => (rest, None),
            };
            DebugCommand::Break { location: parse_location(location), condition }
        }
        "breakpoints" | "info" => DebugCommand::Breakpoints,
        "d" | "delete" if rest.is_empty() => DebugCommand::Delete(None),
        "d" | "delete" => DebugCommand::Delete(Some(number()?)),
        "r" | "run" => DebugCommand::Run { stop_on_entry: false },
        "start" => DebugCommand::Run { stop_on_entry: true },
        "c" | "continue" => DebugCommand::Continue,
        "n" | "next" => DebugCommand::Next,
        "s" | "step" => DebugCommand::Step,
        "fin" | "finish" => DebugCommand::Finish,
        "p" | "print" if rest.is_empty() => return wants("expression missing"),
        "p" | "print" => DebugCommand::Print(rest.to_owned()),
        "bt" | "backtrace" | "where" => DebugCommand::Backtrace,
        "f" | "frame" => DebugCommand::Frame(usize::try_from(number()?).unwrap_or(usize::MAX)),
        "locals" => DebugCommand::Locals,
        "l" | "list" => DebugCommand::List,
        "w" | "watch" => DebugCommand::Watch((!rest.is_empty()).then(|| rest.to_owned())),
        "threads" => DebugCommand::Threads,
        "h" | "help" | "?" => DebugCommand::Help,
        "q" | "quit" | "exit" => DebugCommand::Quit,
        _ => return Err(format!("`{word:.60}` is not a command; `help` lists all")),
    })
}

fn parse_location(written: &str) -> BreakpointLocation {
    if let Ok(line) = written.parse() {
        return BreakpointLocation::Line(line);
    }
    match written.rsplit_once(':') {
        Some((file, line)) if !file.ends_with(':') => match line.parse() {
            Ok(line) => BreakpointLocation::FileLine(file.to_owned(), line),
            Err(_) => BreakpointLocation::Symbol(written.to_owned()),
        },
        _ => BreakpointLocation::Symbol(written.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_parsed() {
        let at = |location: BreakpointLocation| DebugCommand::Break { location, condition: None };
        for (line, expected) in [
            ("b 3", at(BreakpointLocation::Line(3))),
            ("break a/b.py:7", at(BreakpointLocation::FileLine("a/b.py".into(), 7))),
            ("b Ledger.add", at(BreakpointLocation::Symbol("Ledger.add".into()))),
            ("b Ledger::add", at(BreakpointLocation::Symbol("Ledger::add".into()))),
            (" n ", DebugCommand::Next),
            ("p a + b", DebugCommand::Print("a + b".into())),
            ("delete", DebugCommand::Delete(None)),
            ("d 2", DebugCommand::Delete(Some(2))),
            ("start", DebugCommand::Run { stop_on_entry: true }),
            ("watch", DebugCommand::Watch(None)),
        ] {
            assert_eq!(parse(line), Ok(expected), "{line}");
        }
        let condition = Some("n == 2".to_owned());
        let location = BreakpointLocation::Symbol("f".into());
        assert_eq!(parse("b f if n == 2"), Ok(DebugCommand::Break { location, condition }));
        for wrong in ["print", "frame x", "jump", "d x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
