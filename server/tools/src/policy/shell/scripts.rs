//! Programs that take scripts as arguments. No wildcard of a rule covers their arguments, and a
//! script may run anything unless it plainly runs nothing.

use super::programs::base_name;
use super::words::Word;

/// Interpreters: they run a file named first, or code in their arguments.
const INTERPRETERS: &[&str] = &[
    "bun",
    "deno",
    "elixir",
    "erl",
    "expect",
    "ghci",
    "groovy",
    "guile",
    "irb",
    "java",
    "jjs",
    "jshell",
    "julia",
    "lua",
    "luajit",
    "node",
    "nodejs",
    "ocaml",
    "octave",
    "perl",
    "php",
    "pypy",
    "python",
    "qjs",
    "r",
    "rscript",
    "ruby",
    "runghc",
    "runhaskell",
    "scala",
    "scheme",
    "swipl",
    "tclsh",
    "ts-node",
    "tsx",
    "wish",
];

/// Programs with a script language that can run programs or write files.
const SCRIPT_PROGRAMS: &[&str] = &[
    "awk",
    "bat",
    "dc",
    "duckdb",
    "ed",
    "emacs",
    "emacsclient",
    "ex",
    "ftp",
    "gawk",
    "groff",
    "grog",
    "gvim",
    "gsed",
    "helix",
    "hx",
    "info",
    "joe",
    "kak",
    "less",
    "lldb",
    "lftp",
    "m4",
    "mail",
    "mailx",
    "man",
    "mariadb",
    "mawk",
    "micro",
    "mongosh",
    "more",
    "most",
    "mutt",
    "mysql",
    "nano",
    "nawk",
    "nc",
    "ncat",
    "netcat",
    "nvim",
    "pico",
    "psql",
    "redis-cli",
    "rsync",
    "rvim",
    "scp",
    "screen",
    "sed",
    "sftp",
    "socat",
    "sqlite3",
    "telnet",
    "tmux",
    "troff",
    "vi",
    "view",
    "vim",
    "vimdiff",
    "zip",
];

const AWKS: &[&str] = &["awk", "gawk", "mawk", "nawk"];
const SEDS: &[&str] = &["gsed", "sed"];

/// Programs of these that may run anything, whatever their arguments.
const RUN_ANYTHING: &[&str] = &[
    "dc",
    "ed",
    "emacs",
    "emacsclient",
    "ex",
    "expect",
    "ftp",
    "gvim",
    "helix",
    "hx",
    "joe",
    "kak",
    "lftp",
    "m4",
    "mail",
    "mailx",
    "micro",
    "mutt",
    "nano",
    "nvim",
    "pico",
    "rvim",
    "screen",
    "sftp",
    "socat",
    "telnet",
    "tmux",
    "vi",
    "view",
    "vim",
    "vimdiff",
];
/// Parts of statements by which database clients run programs.
const SQL_PROGRAM_CALLS: &[&str] = &[
    "\\",
    ".",
    "system",
    "source",
    "edit",
    "load",
    "writefile",
    "sys_",
    "program",
    "delimiter",
    "-f",
    "-init",
    "-cmd",
];
/// Options of interpreters that contain no code.
const PLAIN_OPTIONS: &[&str] =
    &["--", "-u", "-B", "-O", "-s", "-S", "-w", "-b", "-q", "-E", "-I", "-W0", "-OO"];
const INFORMATION_OPTIONS: &[&str] = &["--help", "--version", "-V", "-h", "-v", "-version"];

/// The name of a program without its version: `python` for `python3.11`.
fn unversioned_name(program: &str) -> String {
    let name = base_name(program).to_lowercase();
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-').to_owned()
}

fn is_interpreter(program: &str) -> bool {
    INTERPRETERS.contains(&unversioned_name(program).as_str())
}

fn is_one_of(program: &str, names: &[&str]) -> bool {
    names.contains(&base_name(program)) || names.contains(&unversioned_name(program).as_str())
}

/// Whether a program runs code in its arguments or in files that they name, so that a rule must
/// match every word.
pub(in crate::policy) fn takes_scripts(program: &str) -> bool {
    is_interpreter(program) || is_one_of(program, SCRIPT_PROGRAMS)
}

/// Whether the words of a rule, the program first, name the script of an interpreter: further
/// arguments are the script's.
pub(in crate::policy) fn names_script(words: &[String]) -> bool {
    let is_name = |word: Option<&String>| {
        word.is_some_and(|word| !word.is_empty() && !word.contains('*') && !word.starts_with('-'))
    };
    let Some((program, rest)) = words.split_first() else { return false };
    // Some have subcommands in place of the script.
    let has_commands = ["bun", "deno", "java", "php"].contains(&unversioned_name(program).as_str());
    is_interpreter(program)
        && !has_commands
        && match rest.first().map(String::as_str) {
            Some("-m") => is_name(rest.get(1)),
            _ => is_name(rest.first()),
        }
}

/// Whether a program may run anything because of its script.
pub(super) fn may_run_anything(program: &str, words: &[Word]) -> bool {
    if is_one_of(program, AWKS) {
        return !awk_is_harmless(words);
    }
    if is_one_of(program, SEDS) {
        return !sed_is_harmless(words);
    }
    if is_interpreter(program) {
        return interpreter_may_run_anything(program, words);
    }
    let known = || {
        words.iter().map(|word| match word {
            Word::Known(word) => word.as_str(),
            Word::Files(_) | Word::Unknown => "\\",
        })
    };
    match unversioned_name(program).as_str() {
        "sqlite" | "duckdb" | "psql" | "mysql" | "mariadb" | "mongosh" | "redis-cli" => {
            // Without a statement they read statements from their input.
            let statements = words.len() > 1;
            !statements
                || known().any(|w| SQL_PROGRAM_CALLS.iter().any(|sign| w[..].contains(sign)))
        }
        "less" | "more" | "most" | "bat" | "lldb" | "nc" | "ncat" | "netcat" => known().any(|w| {
            w.starts_with(['+', '\\'])
                || (w.starts_with('-') && w.contains(['c', 'e', 'k', 'o', 's']))
        }),
        _ => is_one_of(program, RUN_ANYTHING),
    }
}

/// Whether an interpreter runs code from its arguments or input instead of a named file or module.
fn interpreter_may_run_anything(program: &str, words: &[Word]) -> bool {
    let name = unversioned_name(program);
    if matches!(name.as_str(), "java" | "scala" | "bun" | "deno") {
        return words.iter().any(|w| matches!(w, Word::Known(w) if w == "-e" || w == "eval"));
    }
    let is_python = name == "python" || name == "pypy";
    let is_information =
        |word: &Word| matches!(word, Word::Known(w) if INFORMATION_OPTIONS.contains(&&w[..]));
    if words.len() == 1 && is_information(&words[0]) {
        return false;
    }
    let mut words = words.iter();
    while let Some(Word::Known(word)) = words.next() {
        match word.as_str() {
            "-m" if is_python => return false,
            "-W" | "-X" if is_python => {
                words.next();
            }
            "-E" if !is_python => return true,
            word if PLAIN_OPTIONS.contains(&word) || word.starts_with("-I") => {}
            "--test" | "--watch" | "--enable-source-maps" | "--no-warnings" => {}
            word if word.starts_with('-') => return true,
            // Scripts that are not files of their own.
            word => return word.starts_with("/dev/") || word.starts_with("/proc/"),
        }
    }
    true
}

/// Whether the script of `awk`, its first operand, runs nothing.
fn awk_is_harmless(words: &[Word]) -> bool {
    let mut words = words.iter();
    while let Some(Word::Known(word)) = words.next() {
        match word.as_str() {
            "-F" | "-v" => match words.next() {
                Some(Word::Known(_)) => {}
                _ => return false,
            },
            "--" => {}
            "--version" | "--help" | "--posix" | "--csv" => {}
            word if word.starts_with("-F") || word.starts_with("-v") => {}
            word if word.starts_with('-') => return false,
            script => {
                let script = script.replace("||", " ");
                return !["\\\n", "system", "getline", "|", "@", "extension", "load"]
                    .iter()
                    .any(|sign| script.contains(sign));
            }
        }
    }
    false
}

/// Whether the scripts of `sed` run nothing.
fn sed_is_harmless(words: &[Word]) -> bool {
    let (mut scripts, mut first) = (Vec::new(), None);
    let mut only_files = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let word = match word {
            Word::Known(word) => word,
            // It may be an option, or the script.
            Word::Unknown if !only_files || first.is_none() => return false,
            Word::Files(word)
                if first.is_none() || (!only_files && word.starts_with(['*', '?', '[', '-'])) =>
            {
                return false;
            }
            Word::Files(_) | Word::Unknown => continue,
        };
        match word.as_str() {
            "--" => only_files = true,
            word if only_files && first.is_some() => _ = word,
            "-e" | "--expression" => match words.next() {
                Some(Word::Known(script)) => scripts.push(script.as_str()),
                _ => return false,
            },
            "-n" | "-E" | "-r" | "-i" | "-s" | "-u" | "-z" | "-ni" | "-nE" | "-nr" | "-Ei"
            | "-ri" | "-rn" | "-En" | "-i.bak" | "--posix" | "--sandbox" | "--quiet"
            | "--silent" | "--regexp-extended" | "--in-place" | "--null-data" | "--version"
            | "--help" => {}
            word => match word.strip_prefix("--expression=") {
                Some(script) => scripts.push(script),
                None if word.starts_with('-') => return false,
                None => {
                    first.get_or_insert(word);
                }
            },
        }
    }
    if scripts.is_empty() {
        scripts.extend(first);
    }
    scripts.iter().all(|script| sed_script_is_harmless(script))
}

/// Whether a script of `sed` contains only commands known to run nothing.
fn sed_script_is_harmless(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';' || c == '}');
        // Addresses.
        loop {
            rest = rest.trim_start_matches(|c: char| {
                c.is_ascii_digit() || c.is_whitespace() || "$,~+!".contains(c)
            });
            match rest.chars().next() {
                Some('/') => match after_delimiter(&rest[1..], '/') {
                    Some(behind) => rest = behind.trim_start_matches(['I', 'M']),
                    None => return false,
                },
                Some('\\') => return false,
                _ => break,
            }
        }
        let mut chars = rest.chars();
        let Some(command) = chars.next() else { return true };
        rest = chars.as_str();
        match command {
            '{' | '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x'
            | 'z' | 'q' | 'Q' | 'l' => {}
            ':' | 'b' | 't' | 'T' => {
                let end = rest.find([';', '\n', '}']).unwrap_or(rest.len());
                rest = &rest[end..];
            }
            // The rest of the line is text, a file name or a comment.
            'a' | 'i' | 'c' | 'r' | 'w' | '#' => match after_line(rest) {
                Some(behind) => rest = behind,
                None => return false,
            },
            's' | 'y' => {
                let mut chars = rest.chars();
                let Some(mark) = chars.next().filter(char::is_ascii_punctuation) else {
                    return false;
                };
                let behind = after_delimiter(chars.as_str(), mark)
                    .and_then(|second| after_delimiter(second, mark));
                let Some(behind) = behind.filter(|_| mark != '\\') else { return false };
                rest =
                    behind.trim_start_matches(|c: char| c.is_ascii_digit() || "gpiIM".contains(c));
                match rest.chars().next() {
                    None | Some(';' | '\n' | '}' | ' ') => {}
                    Some('w') => match after_line(rest) {
                        Some(behind) => rest = behind,
                        None => return false,
                    },
                    Some(_) => return false,
                }
            }
            _ => return false,
        }
    }
}

/// The text after the first unescaped `mark`.
fn after_delimiter(text: &str, mark: char) -> Option<&str> {
    let mut rest = text;
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            c if c == mark => return Some(rest),
            '\n' => return None,
            '\\' => rest = rest.get(rest.chars().next()?.len_utf8()..)?,
            // Within brackets, `mark` may or may not end the pattern.
            '[' => {
                let class = rest.strip_prefix('^').unwrap_or(rest);
                let (inside, behind) = class.split_once(']')?;
                if inside.is_empty() || inside.contains(['[', '\\', '\n', mark]) {
                    return None;
                }
                rest = behind;
            }
            _ => {}
        }
    }
}

/// The text after the line; `None` if the line is continued.
fn after_line(text: &str) -> Option<&str> {
    let (line, behind) = text.split_once('\n').unwrap_or((text, ""));
    (!line.ends_with('\\')).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sed_scripts_are_classified() {
        for script in [
            "s/a/b/",
            "s/a/b/g;p",
            "1,10p",
            "$d",
            "/x/d",
            "/a/,/b/p",
            "s|a|b|gI",
            "y/abc/xyz/",
            ":a;N;$!ba;s/\\n/ /g",
            "1i text with e",
            "/x/{s/a/b/;p}",
            "s/e/w/",
            "# e",
            "s/a/b/ ; s/c/d/",
            "5q",
            "s/[0-9]*//",
            "s/\\/e/x/",
            "",
        ] {
            assert!(sed_script_is_harmless(script), "{script}");
        }
        for script in [
            "s/a/rm/e",
            "s/a/b/ge",
            "1e rm",
            "e",
            "e rm",
            "p;e rm",
            "s/a/b/;1e rm",
            "$!e rm",
            "/x/e rm",
            "/x/I,$e rm",
            "1~2e",
            "{e rm",
            "s,a,b,e",
            "sxaxbxe",
            "s/[/]/rm/e",
            "s/[/e;s/]/",
            "\\,x,e rm",
            "a\\\n1e",
            "s/a/b/\ne rm",
            "s/a/b/w x\ne rm",
            "}e rm",
            "y/a/b/e",
            "s/a/b/;;;e",
            "v;e",
            "s/a\n/b/e",
            "}; 1 ! e rm",
            ":a\ne rm",
            "i x\ne rm",
        ] {
            assert!(!sed_script_is_harmless(script), "{script}");
        }
    }

    #[test]
    fn a_rule_may_name_the_script_of_a_language() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for line in ["python3 -m pytest", "python3.11 x.py", "node build.js", "perl x.pl -e"] {
            assert!(names_script(&words(line)), "{line}");
        }
        for line in ["python3", "python3 -X", "node -r", "perl -e", "awk x", "sed p", "python3 -m"]
        {
            assert!(!names_script(&words(line)), "{line}");
        }
    }
}
