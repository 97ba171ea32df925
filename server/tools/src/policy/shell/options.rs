//! Options of programs that can start other programs: which ones are harmless, read from
//! `options.txt`.
//!
//! A word that is not certain counts as harmful. The reader does not have to agree with the
//! program's own parser on where values and `--` are: a word that begins with a dash is judged as
//! an option wherever it stands, and one in the place of a value is not covered either.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::programs::base_name;
use super::words::Word;

const LIST: &str = include_str!("options.txt");

static PROGRAMS: LazyLock<HashMap<&str, Program>> =
    LazyLock::new(|| parse_list(LIST).unwrap_or_default());

/// What the list says of a program, or of one of its subcommands.
#[derive(Debug, Default, Clone)]
struct Program {
    flags: Vec<Flag>,
    options: HashMap<&'static str, Value>,
    /// What options with plain words behind them begin with: `-W`.
    prefixes: Vec<&'static str>,
    /// Whether `-5` is an option.
    takes_number: bool,
}

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    None,
    /// In the same word.
    Optional,
    /// In the same word, or else in the next one.
    Required,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flag {
    Words,
    Joined,
    Bundle,
    Subcommands,
    ProjectAfterDashes,
    Anything,
    NoEquals,
    NoColon,
    NoColonValues,
    NoHelper,
    AtNames,
}

impl Flag {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "words" => Self::Words,
            "joined" => Self::Joined,
            "bundle" => Self::Bundle,
            "subcommands" => Self::Subcommands,
            "project-after--" => Self::ProjectAfterDashes,
            "anything" => Self::Anything,
            "no-equals" => Self::NoEquals,
            "no-colon" => Self::NoColon,
            "no-colon-values" => Self::NoColonValues,
            "no-helper" => Self::NoHelper,
            "at-names" => Self::AtNames,
            _ => return None,
        })
    }
}

/// Parses the list. `None` if a line of it is malformed.
fn parse_list(text: &'static str) -> Option<HashMap<&'static str, Program>> {
    let mut programs: HashMap<&str, Program> = HashMap::new();
    let mut names: Vec<&str> = Vec::new();
    let mut program = Program::default();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    for line in lines {
        if line.starts_with(' ') {
            for token in line.split_whitespace() {
                program.add(token)?;
            }
            continue;
        }
        programs.extend(names.drain(..).map(|name| (name, program.clone())));
        let (header, flags) = line.split_once(':')?;
        names = header.split(", ").collect();
        let flags = flags.split_whitespace().map(Flag::parse).collect::<Option<_>>()?;
        program = Program { flags, ..Program::default() };
    }
    programs.extend(names.drain(..).map(|name| (name, program.clone())));
    Some(programs)
}

/// What a word is, read as an option.
enum Reading {
    Harmless,
    /// Its value is the next word.
    HarmlessWithNext,
    Unknown,
}

impl Program {
    fn add(&mut self, token: &'static str) -> Option<()> {
        token.strip_prefix('-')?;
        if token == "-NUM" {
            self.takes_number = true;
        } else if let Some(prefix) = token.strip_suffix('*') {
            self.prefixes.push(prefix);
        } else if let Some(name) = token.strip_suffix("[=]") {
            self.options.insert(name, Value::Optional);
        } else if let Some(name) = token.strip_suffix('=') {
            self.options.insert(name, Value::Required);
        } else {
            self.options.insert(token, Value::None);
        }
        Some(())
    }

    fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// Reads `word`, which begins with a dash.
    fn option(&self, word: &str) -> Reading {
        let has_colon = word.contains(':');
        if has_colon && (self.has(Flag::NoColon) || self.has(Flag::NoColonValues)) {
            return Reading::Unknown;
        }
        match self.options.get(word) {
            Some(Value::Required) => return Reading::HarmlessWithNext,
            Some(Value::None | Value::Optional) => return Reading::Harmless,
            None => {}
        }
        if let Some((name, _)) = word.split_once('=')
            && name.len() > 2
            && matches!(self.options.get(name), Some(Value::Required | Value::Optional))
        {
            return Reading::Harmless;
        }
        let number = &word[1..];
        if self.takes_number && !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) {
            return Reading::Harmless;
        }
        if word.starts_with("--") {
            return Reading::Unknown;
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+.".contains(c);
        let mut prefixes = self.prefixes.iter().filter_map(|prefix| word.strip_prefix(prefix));
        if prefixes.any(|rest| rest.chars().all(is_plain)) {
            return Reading::Harmless;
        }
        self.cluster(word)
    }

    /// Reads `-abc`: letters without values, the last one perhaps with its value.
    fn cluster(&self, word: &str) -> Reading {
        for (at, letter) in word.char_indices().skip(1) {
            let rest = &word[at + letter.len_utf8()..];
            match self.letter(letter) {
                None => return Reading::Unknown,
                Some(Value::None) if self.has(Flag::Words) => return Reading::Unknown,
                Some(_) if self.has(Flag::Words) && !self.has(Flag::Joined) => {
                    return Reading::Unknown;
                }
                Some(Value::None) => {}
                Some(Value::Required) if rest.is_empty() => return Reading::HarmlessWithNext,
                Some(Value::Required | Value::Optional) => return Reading::Harmless,
            }
        }
        Reading::Harmless
    }

    fn letter(&self, letter: char) -> Option<Value> {
        let name = format!("-{letter}");
        self.options.get(name.as_str()).copied()
    }

    /// Whether `word`, which is no option and no value, is harmless where it stands.
    fn is_harmless_operand(&self, word: &str) -> bool {
        !((word.starts_with('@') && !self.has(Flag::AtNames))
            || (word.contains('=') && self.has(Flag::NoEquals))
            || (word.contains(':') && self.has(Flag::NoColon))
            || (word.contains("::") && self.has(Flag::NoHelper)))
    }
}

/// Which arguments of a command (`words` without the first) are harmless. `None` if the program is
/// not listed.
pub(in crate::policy) fn harmless_arguments(words: &[Word]) -> Option<Vec<bool>> {
    let (program, arguments) = words.split_first()?;
    let (mut name, mut program) = find(base_name(program.known()?))?;
    let mut verdicts = Vec::with_capacity(arguments.len());
    // How many of the next words are values of options.
    let mut values = 0_usize;
    // Whether the next word may be the value of an option that is not listed.
    let mut follows_unknown = false;
    let mut has_operand = false;
    for (index, word) in arguments.iter().enumerate() {
        if program.has(Flag::Anything) {
            verdicts.push(true);
            continue;
        }
        let word = match word {
            Word::Known(word) => word.as_str(),
            Word::Files(pattern) => {
                let selects =
                    program.has(Flag::Subcommands) || (index == 0 && program.has(Flag::Bundle));
                let means_more = program.has(Flag::NoEquals) || program.has(Flag::NoColon);
                let is_value = values > 0 && !program.has(Flag::NoColonValues);
                values = values.saturating_sub(1);
                let is_harmless =
                    !selects && !means_more && !follows_unknown && !pattern.starts_with('@');
                verdicts.push(is_value || is_harmless);
                follows_unknown = false;
                continue;
            }
            Word::Unknown => {
                verdicts.push(false);
                continue;
            }
        };
        if values > 0 {
            values -= 1;
            let has_host = word.contains(':')
                && (program.has(Flag::NoColon) || program.has(Flag::NoColonValues));
            verdicts.push((!word.starts_with('-') || is_number(word)) && !has_host);
        } else if word == "--" {
            verdicts.push(true);
            if program.has(Flag::ProjectAfterDashes) {
                verdicts.resize(arguments.len(), true);
                break;
            }
        } else if word.len() > 1 && word.starts_with('-') {
            let reading = program.option(word);
            values = usize::from(matches!(reading, Reading::HarmlessWithNext));
            let is_unknown = matches!(reading, Reading::Unknown);
            verdicts.push(!is_unknown);
            // `--name=value` has its value.
            follows_unknown = is_unknown && !(word.starts_with("--") && word.contains('='));
        } else if index == 0 && program.has(Flag::Bundle) {
            match program.bundle(word) {
                Some(count) => values = count,
                None => {
                    verdicts.resize(arguments.len(), false);
                    break;
                }
            }
            verdicts.push(true);
        } else if program.has(Flag::Subcommands) && !has_operand {
            match PROGRAMS.get_key_value(format!("{name} {word}").as_str()) {
                Some((full, entry)) if !follows_unknown => (name, program) = (*full, entry),
                _ => {
                    verdicts.resize(arguments.len(), false);
                    break;
                }
            }
            verdicts.push(true);
        } else {
            has_operand = true;
            verdicts.push(program.is_harmless_operand(word) && !follows_unknown);
            follows_unknown = false;
        }
    }
    Some(verdicts)
}

impl Program {
    /// Reads options without a dash. How many of the words that follow are their values.
    fn bundle(&self, word: &str) -> Option<usize> {
        let mut count = 0;
        for letter in word.chars() {
            count += usize::from(self.letter(letter)? == Value::Required);
        }
        Some(count)
    }
}

/// Whether it is a negative number, perhaps with a unit: `-7`, `-10k`.
fn is_number(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|number| {
        number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_alphanumeric())
    }) || word == "-"
}

/// The entry of a program: by its name, without its version (`gcc-12`), and without the machine that
/// it is for (`x86_64-linux-gnu-gcc`).
fn find(name: &str) -> Option<(&'static str, &'static Program)> {
    let entry = |name: &str| PROGRAMS.get_key_value(name).map(|(name, program)| (*name, program));
    let plain = without_version(name);
    entry(name).or_else(|| entry(plain)).or_else(|| {
        let (_, tool) = plain.split_once("-gnu-").or_else(|| plain.split_once("-musl-"))?;
        entry(tool)
    })
}

/// The name of a program without a version behind a dash: `gcc-12`.
pub(super) fn without_version(program: &str) -> &str {
    match program.rsplit_once('-') {
        Some((name, version)) if version.starts_with(|c: char| c.is_ascii_digit()) => name,
        _ => program,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_well_formed() {
        let programs = parse_list(LIST).expect("a line of options.txt is malformed");
        assert!(programs.len() > 100 && programs.contains_key("git log"));
        for name in programs.keys() {
            let Some((program, _)) = name.rsplit_once(' ') else { continue };
            let parent = programs.get(program).unwrap_or_else(|| panic!("{program}: no entry"));
            assert!(parent.has(Flag::Subcommands), "{program} has subcommands");
        }
    }

    fn verdicts(line: &str) -> String {
        let words: Vec<_> = line.split(' ').map(|word| Word::Known(word.to_owned())).collect();
        let verdicts = harmless_arguments(&words).expect("the program is listed");
        verdicts.iter().map(|is_harmless| if *is_harmless { '+' } else { '-' }).collect()
    }

    #[test]
    fn arguments_are_read_as_the_programs_do() {
        for (line, wanted) in [
            ("tar -czf out.tgz src", "+++"),
            ("tar czf out.tgz src", "+++"),
            ("tar -czfout.tgz", "+"),
            ("tar cIf ./prog out.tar", "---"),
            ("tar -cIf x", "--"),
            ("tar -c a --to-command=x b", "++-+"),
            ("tar --exclude=x --file=y", "++"),
            ("tar --exclud=x y", "-+"),
            ("tar --file -I x", "+-+"),
            ("tar cf host:x a", "+-+"),
            ("tar -cfhost:x", "-"),
            ("tar -c -- -I x", "++--"),
            ("gcc -O2 -Wall -Iinclude -c a.c", "+++++"),
            ("gcc -Wl,-plugin,x a.c", "--"),
            ("gcc -wrapper x a.c", "--+"),
            ("gcc-12 @x", "-"),
            ("x86_64-linux-gnu-gcc-12 -B x", "--"),
            ("git log --oneline -5 @{u}", "++++"),
            ("git --no-pager log", "++"),
            ("git -c x=y status", "---"),
            ("git bisect run x", "+--"),
            ("git bisect good x", "+++"),
            ("git clone ext::x", "+-"),
            ("git frob", "-"),
            ("find . -mtime -7 -name *.rs", "+++++"),
            ("find . -exec x", "+--"),
            ("make -j4 all", "++"),
            ("make A=1", "-"),
            ("make -f x all", "--+"),
            ("cargo test -- --config x", "++++"),
            ("cargo build -- --config x", "++--"),
            ("cargo +nightly test", "--"),
            ("cargo xtask x --config y", "++++"),
            ("split -100 a", "++"),
            ("sort -k 2n -t , -o x", "++++--"),
            ("rsync -av a host:b", "++-"),
            ("rsync -ae x a b", "--++"),
        ] {
            assert_eq!(verdicts(line), wanted, "{line}");
        }
        assert!(harmless_arguments(&[Word::Known("ls".to_owned())]).is_none());
    }
}
