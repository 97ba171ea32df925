//! What a person writes at the prompt, with the short forms that debuggers have in common.

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// A breakpoint, and when it stops.
    Break {
        place: Place,
        condition: Option<String>,
    },
    /// What is set.
    Breakpoints,
    /// One less, or none.
    Delete(Option<u64>),
    /// From the beginning; held before the first line.
    Run {
        held: bool,
    },
    Continue,
    Next,
    Step,
    Finish,
    Print(String),
    Backtrace,
    /// The frame to look at.
    Frame(usize),
    Locals,
    List,
    /// A value to be shown at each stop; without one, none any more.
    Watch(Option<String>),
    Threads,
    Help,
    Quit,
}

/// Where a breakpoint is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A line of the file that the program is in.
    Line(u32),
    FileLine(String, u32),
    /// A function or method.
    Symbol(String),
}

pub(super) const HELP: &str = "\
break FILE:LINE | LINE | NAME [if EXPRESSION]   stop there (b)
breakpoints, delete [NUMBER]                    what is set; remove one, or all
run, start                                      from the beginning; start is held before the first line (r)
continue, next, step, finish                    go on; over, into, out of what is called (c, n, s, fin)
print EXPRESSION                                its value in the frame (p)
watch [EXPRESSION]                              show it at each stop; without one, none any more (w)
backtrace, frame NUMBER, locals, threads        look around (bt, f)
list                                            the lines around (l)
quit                                            end the program and go (q)
An empty line does the last continue, next, step or finish again. Ctrl-C stops a program that runs.";

/// What a line says.
///
/// # Errors
/// In words, where it says nothing that is known.
pub(super) fn parse(line: &str) -> Result<Word, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let wants = |what: &str| Err(format!("{word}: {what}"));
    let number = || rest.parse().map_err(|_| format!("{word}: `{rest}` is no number"));
    Ok(match word {
        "b" | "break" if rest.is_empty() => Word::Breakpoints,
        "b" | "break" => {
            let (place, condition) = match rest.split_once(" if ") {
                Some((place, condition)) => (place.trim(), Some(condition.trim().to_owned())),
                None => (rest, None),
            };
            Word::Break { place: place_of(place), condition }
        }
        "breakpoints" | "info" => Word::Breakpoints,
        "d" | "delete" if rest.is_empty() => Word::Delete(None),
        "d" | "delete" => Word::Delete(Some(number()?)),
        "r" | "run" => Word::Run { held: false },
        "start" => Word::Run { held: true },
        "c" | "continue" => Word::Continue,
        "n" | "next" => Word::Next,
        "s" | "step" => Word::Step,
        "fin" | "finish" => Word::Finish,
        "p" | "print" if rest.is_empty() => return wants("which expression?"),
        "p" | "print" => Word::Print(rest.to_owned()),
        "bt" | "backtrace" | "where" => Word::Backtrace,
        "f" | "frame" => Word::Frame(usize::try_from(number()?).unwrap_or(usize::MAX)),
        "locals" => Word::Locals,
        "l" | "list" => Word::List,
        "w" | "watch" => Word::Watch((!rest.is_empty()).then(|| rest.to_owned())),
        "threads" => Word::Threads,
        "h" | "help" | "?" => Word::Help,
        "q" | "quit" | "exit" => Word::Quit,
        _ => return Err(format!("`{word:.60}` is not known; `help` lists what is")),
    })
}

fn place_of(written: &str) -> Place {
    if let Ok(line) = written.parse() {
        return Place::Line(line);
    }
    match written.rsplit_once(':') {
        Some((file, line)) if !file.ends_with(':') => match line.parse() {
            Ok(line) => Place::FileLine(file.to_owned(), line),
            Err(_) => Place::Symbol(written.to_owned()),
        },
        _ => Place::Symbol(written.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood() {
        let at = |place: Place| Word::Break { place, condition: None };
        for (line, expected) in [
            ("b 3", at(Place::Line(3))),
            ("break a/b.py:7", at(Place::FileLine("a/b.py".into(), 7))),
            ("b Ledger.add", at(Place::Symbol("Ledger.add".into()))),
            ("b Ledger::add", at(Place::Symbol("Ledger::add".into()))),
            (" n ", Word::Next),
            ("p a + b", Word::Print("a + b".into())),
            ("delete", Word::Delete(None)),
            ("d 2", Word::Delete(Some(2))),
            ("start", Word::Run { held: true }),
            ("watch", Word::Watch(None)),
        ] {
            assert_eq!(parse(line), Ok(expected), "{line}");
        }
        let condition = Some("n == 2".to_owned());
        let place = Place::Symbol("f".into());
        assert_eq!(parse("b f if n == 2"), Ok(Word::Break { place, condition }));
        for wrong in ["print", "frame x", "jump", "d x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
