//! Harmless options of programs that can start other programs, from `options.txt`.
//!
//! An uncertain word counts as harmful. This parser need not agree with the program's own on where
//! values and `--` are: a word that begins with a dash is checked as an option wherever it stands,
//! even in the place of a value.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::programs::base_name;
use super::words::Word;

const OPTIONS_LIST: &str = include_str!("options.txt");

static PROGRAMS: LazyLock<HashMap<&str, ProgramOptions>> =
    LazyLock::new(|| parse_list(OPTIONS_LIST).unwrap_or_default());

/// The entry of a program or subcommand.
#[derive(Debug, Default, Clone)]
struct ProgramOptions {
    flags: Vec<Flag>,
    options: HashMap<&'static str, OptionValue>,
    /// Prefixes of options that are followed by plain words: `-W`.
    prefixes: Vec<&'static str>,
    /// Whether `-5` is an option.
    takes_number: bool,
}

/// Whether an option has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OptionValue {
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
fn parse_list(text: &'static str) -> Option<HashMap<&'static str, ProgramOptions>> {
    let mut programs: HashMap<&str, ProgramOptions> = HashMap::new();
    let mut names: Vec<&str> = Vec::new();
    let mut program = ProgramOptions::default();
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
        program = ProgramOptions { flags, ..ProgramOptions::default() };
    }
    programs.extend(names.drain(..).map(|name| (name, program.clone())));
    Some(programs)
}

/// How a word reads as an option.
enum OptionKind {
    Harmless,
    /// Its value is the next word.
    HarmlessWithNext,
    Unknown,
}

impl ProgramOptions {
    fn add(&mut self, token: &'static str) -> Option<()> {
        token.strip_prefix('-')?;
        if token == "-NUM" {
            self.takes_number = true;
        } else if let Some(prefix) = token.strip_suffix('*') {
            self.prefixes.push(prefix);
        } else if let Some(name) = token.strip_suffix("[=]") {
            self.options.insert(name, OptionValue::Optional);
        } else if let Some(name) = token.strip_suffix('=') {
            self.options.insert(name, OptionValue::Required);
        } else {
            self.options.insert(token, OptionValue::None);
        }
        Some(())
    }

    fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// Classifies `word`, which begins with a dash.
    fn option(&self, word: &str) -> OptionKind {
        let has_colon = word.contains(':');
        if has_colon && (self.has(Flag::NoColon) || self.has(Flag::NoColonValues)) {
            return OptionKind::Unknown;
        }
        match self.options.get(word) {
            Some(OptionValue::Required) => return OptionKind::HarmlessWithNext,
            Some(OptionValue::None | OptionValue::Optional) => return OptionKind::Harmless,
            None => {}
        }
        if let Some((name, _)) = word.split_once('=')
            && name.len() > 2
            && matches!(self.options.get(name), Some(OptionValue::Required | OptionValue::Optional))
        {
            return OptionKind::Harmless;
        }
        let number = &word[1..];
        if self.takes_number && !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) {
            return OptionKind::Harmless;
        }
        if word.starts_with("--") {
            return OptionKind::Unknown;
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+.".contains(c);
        let mut prefixes = self.prefixes.iter().filter_map(|prefix| word.strip_prefix(prefix));
        if prefixes.any(|rest| rest.chars().all(is_plain)) {
            return OptionKind::Harmless;
        }
        self.cluster(word)
    }

    /// Classifies `-abc`: letters without values, the last one possibly followed by its value.
    fn cluster(&self, word: &str) -> OptionKind {
        for (at, letter) in word.char_indices().skip(1) {
            let rest = &word[at + letter.len_utf8()..];
            match self.letter(letter) {
                None => return OptionKind::Unknown,
                Some(OptionValue::None) if self.has(Flag::Words) => return OptionKind::Unknown,
                Some(_) if self.has(Flag::Words) && !self.has(Flag::Joined) => {
                    return OptionKind::Unknown;
                }
                Some(OptionValue::None) => {}
                Some(OptionValue::Required) if rest.is_empty() => {
                    return OptionKind::HarmlessWithNext;
                }
                Some(OptionValue::Required | OptionValue::Optional) => return OptionKind::Harmless,
            }
        }
        OptionKind::Harmless
    }

    fn letter(&self, letter: char) -> Option<OptionValue> {
        let name = format!("-{letter}");
        self.options.get(name.as_str()).copied()
    }

    /// Whether an operand is harmless.
    fn is_harmless_operand(&self, word: &str) -> bool {
        !((word.starts_with('@') && !self.has(Flag::AtNames))
            || (word.contains('=') && self.has(Flag::NoEquals))
            || (word.contains(':') && self.has(Flag::NoColon))
            || (word.contains("::") && self.has(Flag::NoHelper)))
    }
}

/// For each argument of a command, whether it is harmless; `words` starts with the program. `None`
/// if the program is not listed.
pub(in crate::policy) fn harmless_arguments(words: &[Word]) -> Option<Vec<bool>> {
    let (program, arguments) = words.split_first()?;
    let (mut name, mut program) = find_program(base_name(program.known()?))?;
    let mut verdicts = Vec::with_capacity(arguments.len());
    // The number of following words that are values of options.
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
            values = usize::from(matches!(reading, OptionKind::HarmlessWithNext));
            let is_unknown = matches!(reading, OptionKind::Unknown);
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

impl ProgramOptions {
    /// Reads options without a dash, as in `tar xf`: the number of following words that are their
    /// values.
    fn bundle(&self, word: &str) -> Option<usize> {
        let mut count = 0;
        for letter in word.chars() {
            count += usize::from(self.letter(letter)? == OptionValue::Required);
        }
        Some(count)
    }
}

/// Whether it is a negative number, with or without a unit: `-7`, `-10k`.
fn is_number(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|number| {
        number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_alphanumeric())
    }) || word == "-"
}

/// The entry of a program by its name, without its version (`gcc-12`), or without its target
/// (`x86_64-linux-gnu-gcc`).
fn find_program(name: &str) -> Option<(&'static str, &'static ProgramOptions)> {
    let entry = |name: &str| PROGRAMS.get_key_value(name).map(|(name, program)| (*name, program));
    let plain = without_version(name);
    entry(name).or_else(|| entry(plain)).or_else(|| {
        let (_, tool) = plain.split_once("-gnu-").or_else(|| plain.split_once("-musl-"))?;
        entry(tool)
    })
}

/// The name of a program without the version after a dash: `gcc-12`.
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
        let programs = parse_list(OPTIONS_LIST).expect("a line of options.txt is malformed");
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
    fn arguments_are_classified() {
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
