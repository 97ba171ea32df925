//! What is known of programs that are given scripts among their arguments: no `*` of a rule stands
//! for these, and what a script runs may be anything unless it plainly runs nothing.

use super::programs::base_name;
use super::words::Word;

/// Languages: they run a file that is named first, or code in their arguments.
const LANGUAGES: &[&str] = &[
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

/// Programs that have a language of their own, which can run programs or write files.
const SCRIPTED: &[&str] = &[
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

/// Those that run what they read wherever it comes from, or whatever follows.
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
/// Signs of commands that run programs among those for databases.
const RUNNING_SQL: &[&str] = &[
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
/// Options of languages that are no code.
const PLAIN_OPTIONS: &[&str] =
    &["--", "-u", "-B", "-O", "-s", "-S", "-w", "-b", "-q", "-E", "-I", "-W0", "-OO"];
const TELLING_NOTHING: &[&str] = &["--help", "--version", "-V", "-h", "-v", "-version"];

/// The name of a program without its version: `python3.11` is `python`.
fn family(program: &str) -> String {
    let name = base_name(program).to_lowercase();
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-').to_owned()
}

fn is_language(program: &str) -> bool {
    LANGUAGES.contains(&family(program).as_str())
}

fn is_one_of(program: &str, names: &[&str]) -> bool {
    names.contains(&base_name(program)) || names.contains(&family(program).as_str())
}

/// Whether a program with these arguments is to be known by every word of them, because some of
/// them, or something in the files they name, is run.
pub(in crate::policy) fn takes_scripts(program: &str) -> bool {
    is_language(program) || is_one_of(program, SCRIPTED)
}

/// Whether the words of a rule, the program first, name the script that a language runs: what
/// follows is for that script.
pub(in crate::policy) fn names_script(words: &[String]) -> bool {
    let is_name = |word: Option<&String>| {
        word.is_some_and(|word| !word.is_empty() && !word.contains('*') && !word.starts_with('-'))
    };
    let Some((program, rest)) = words.split_first() else { return false };
    // Some have commands of their own in the place of the script.
    let has_commands = ["bun", "deno", "java", "php"].contains(&family(program).as_str());
    is_language(program)
        && !has_commands
        && match rest.first().map(String::as_str) {
            Some("-m") => is_name(rest.get(1)),
            _ => is_name(rest.first()),
        }
}

/// Whether a program may run what cannot be told, because of the script it is given.
pub(super) fn may_run_anything(program: &str, words: &[Word]) -> bool {
    if is_one_of(program, AWKS) {
        return !awk_is_harmless(words);
    }
    if is_one_of(program, SEDS) {
        return !sed_is_harmless(words);
    }
    if is_language(program) {
        return language_may_run_anything(program, words);
    }
    let known = || {
        words.iter().map(|word| match word {
            Word::Known(word) => word.as_str(),
            Word::Files(_) | Word::Unknown => "\\",
        })
    };
    match family(program).as_str() {
        "sqlite" | "duckdb" | "psql" | "mysql" | "mariadb" | "mongosh" | "redis-cli" => {
            // Without a statement they read some.
            let statements = words.len() > 1;
            !statements || known().any(|w| RUNNING_SQL.iter().any(|sign| w[..].contains(sign)))
        }
        "less" | "more" | "most" | "bat" | "lldb" | "nc" | "ncat" | "netcat" => known().any(|w| {
            w.starts_with(['+', '\\'])
                || (w.starts_with('-') && w.contains(['c', 'e', 'k', 'o', 's']))
        }),
        _ => is_one_of(program, RUN_ANYTHING),
    }
}

/// Whether a language is given code, and not the file or the module it is in.
fn language_may_run_anything(program: &str, words: &[Word]) -> bool {
    let family = family(program);
    if matches!(family.as_str(), "java" | "scala" | "bun" | "deno") {
        return words.iter().any(|w| matches!(w, Word::Known(w) if w == "-e" || w == "eval"));
    }
    let is_python = family == "python" || family == "pypy";
    let tells = |word: &Word| matches!(word, Word::Known(w) if TELLING_NOTHING.contains(&&w[..]));
    if words.len() == 1 && tells(&words[0]) {
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
            // Scripts that are no files of their own.
            word => return word.starts_with("/dev/") || word.starts_with("/proc/"),
        }
    }
    true
}

/// Whether a script of `awk` runs nothing: the first argument that is no option.
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

/// Whether every command of a script of `sed` is a known one that runs nothing.
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
                Some('/') => match after(&rest[1..], '/') {
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
            // The rest of the line is text, the name of a file, or a comment.
            'a' | 'i' | 'c' | 'r' | 'w' | '#' => match line_behind(rest) {
                Some(behind) => rest = behind,
                None => return false,
            },
            's' | 'y' => {
                let mut chars = rest.chars();
                let Some(mark) = chars.next().filter(char::is_ascii_punctuation) else {
                    return false;
                };
                let behind = after(chars.as_str(), mark).and_then(|second| after(second, mark));
                let Some(behind) = behind.filter(|_| mark != '\\') else { return false };
                rest =
                    behind.trim_start_matches(|c: char| c.is_ascii_digit() || "gpiIM".contains(c));
                match rest.chars().next() {
                    None | Some(';' | '\n' | '}' | ' ') => {}
                    Some('w') => match line_behind(rest) {
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

/// What follows the first `mark` that stands for itself.
fn after(text: &str, mark: char) -> Option<&str> {
    let mut rest = text;
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            c if c == mark => return Some(rest),
            '\n' => return None,
            '\\' => rest = rest.get(rest.chars().next()?.len_utf8()..)?,
            // In brackets it may or may not end the pattern.
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

/// What follows the line, unless that goes on.
fn line_behind(text: &str) -> Option<&str> {
    let (line, behind) = text.split_once('\n').unwrap_or((text, ""));
    (!line.ends_with('\\')).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_sed_are_told_apart() {
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
