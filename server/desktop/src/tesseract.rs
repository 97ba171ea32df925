//! Runs Tesseract in the sandbox of commands, and reads its table of words.

use std::time::Duration;

use process::{
    Command, ExitStatus, Folder, Input, Isolation, KillReason, Launcher, Limits, Network, Program,
    clean_environment, has_program,
};
use tools::{Code, Context, ToolError, program_refused, read_only_files};

/// The variable that names the program.
const PROGRAM_VARIABLE: &str = "TANDEM_TESSERACT";
/// Time for one picture. A full screen takes two seconds.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Size of its table, in bytes: a line of 60 for each word.
const MAX_TABLE_BYTES: usize = 4 << 20;

/// A word, in pixels of the picture that Tesseract got.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Word {
    /// The block, paragraph and line that it is in.
    pub(crate) line: (u32, u32, u32),
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// From 0 to 1.
    pub(crate) confidence: f64,
    pub(crate) text: String,
}

/// The languages of a call, as Tesseract calls them: `eng+deu`.
pub(crate) fn languages(tool: &str, written: Option<&str>) -> Result<String, ToolError> {
    let written = written.map(str::trim).filter(|written| !written.is_empty()).unwrap_or("eng");
    let known = |name: &str| {
        Some(match name.to_lowercase().as_str() {
            "en" | "english" => "eng".to_owned(),
            "de" | "german" | "deutsch" => "deu".to_owned(),
            "fr" | "french" => "fra".to_owned(),
            "es" | "spanish" => "spa".to_owned(),
            "it" | "italian" => "ita".to_owned(),
            "pt" | "portuguese" => "por".to_owned(),
            "nl" | "dutch" => "nld".to_owned(),
            "pl" | "polish" => "pol".to_owned(),
            "ru" | "russian" => "rus".to_owned(),
            "ja" | "japanese" => "jpn".to_owned(),
            "ko" | "korean" => "kor".to_owned(),
            "zh" | "chinese" => "chi_sim".to_owned(),
            own if own.len() >= 3
                && own.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') =>
            {
                own.to_owned()
            }
            _ => return None,
        })
    };
    let names: Option<Vec<String>> =
        written.split(['+', ',']).map(|name| known(name.trim())).collect();
    names.map(|names| names.join("+")).ok_or_else(|| {
        let message = format!("{tool}: `{written:.40}` is no language");
        ToolError::new(Code::InvalidParams, message).hint("`eng`, `deu`, `eng+deu`, `fr`")
    })
}

/// The program: what the variable names, else the one on the `PATH`.
pub(crate) fn program() -> Option<String> {
    let named = std::env::var(PROGRAM_VARIABLE).ok().filter(|named| !named.is_empty());
    named.or_else(|| has_program("tesseract").then(|| "tesseract".to_owned()))
}

/// The words of a picture.
pub(crate) fn recognized(
    context: &Context<'_>,
    tool: &str,
    picture: Vec<u8>,
    languages: &str,
) -> Result<Vec<Word>, ToolError> {
    let program = program().ok_or_else(|| {
        ToolError::new(Code::Unavailable, format!("{tool}: Tesseract is not installed")).hint(format!(
            "install it (`apt install tesseract-ocr`), or name its program in the variable {PROGRAM_VARIABLE}"
        ))
    })?;
    let root = context.snapshot.locate(".")?;
    // Text of a screen is in many places, in no order of columns.
    let arguments = ["stdin", "stdout", "-l", languages, "--psm", "11", "--dpi", "300", "tsv"];
    let mut words = vec![program];
    words.extend(arguments.map(str::to_owned));
    let mut environment = clean_environment();
    // Its threads wait for each other more than they work.
    environment.push(("OMP_THREAD_LIMIT".to_owned(), "1".to_owned()));
    environment
        .extend(std::env::var("TESSDATA_PREFIX").map(|data| ("TESSDATA_PREFIX".to_owned(), data)));
    let child = Launcher::current()
        .start(Command {
            program: Program::Arguments(words),
            cwd: Folder { handle: root.open_folder()?, path: root.absolute() },
            environment,
            temporary_folders: Vec::new(),
            input: Input::Bytes(picture),
            isolation: Isolation {
                filesystem: read_only_files(context, tool)?,
                network: Network::None,
                may_trace: false,
                may_attach_anywhere: false,
            },
            limits: Limits::default(),
            has_sandbox_proxy: false,
        })
        .map_err(|error| program_refused(tool, &error))?;
    let outcome =
        child.collect(2 * MAX_TABLE_BYTES, Some(TIMEOUT), context.interrupt, &mut |_, _| {});
    match outcome.stop {
        Some(KillReason::Interrupt) => {
            return Err(ToolError::new(Code::Cancelled, format!("{tool}: cancelled")));
        }
        Some(KillReason::Timeout) => {
            return Err(ToolError::new(Code::Timeout, format!("{tool}: Tesseract takes too long"))
                .hint("name a `region`"));
        }
        None => {}
    }
    let errors = String::from_utf8_lossy(&outcome.stderr.head).into_owned();
    if !matches!(outcome.status, ExitStatus::Code(0)) {
        let error = if errors.contains("Failed loading language") || errors.contains("traineddata")
        {
            ToolError::new(
                Code::Unavailable,
                format!("{tool}: Tesseract lacks the language `{languages}`"),
            )
            .hint("install it: `apt install tesseract-ocr-deu` for `deu`")
        } else {
            ToolError::new(Code::Io, format!("{tool}: Tesseract failed: {:.300}", errors.trim()))
        };
        return Err(error);
    }
    Ok(table(&String::from_utf8_lossy(&outcome.stdout.head)))
}

/// The words of Tesseract's table. Its columns: level, page, block, paragraph, line, word, left, top, width,
/// height, confidence, text.
fn table(text: &str) -> Vec<Word> {
    text.lines().filter_map(word).collect()
}

fn word(line: &str) -> Option<Word> {
    /// The level of words; those above are pages, blocks, paragraphs and lines.
    const WORD: &str = "5";
    let mut columns = line.splitn(12, '\t');
    if columns.next()? != WORD {
        return None;
    }
    columns.next()?;
    let mut number = || columns.next()?.parse::<f64>().ok();
    let [block, paragraph, line, _, x, y, width, height, confidence] = [
        number()?,
        number()?,
        number()?,
        number()?,
        number()?,
        number()?,
        number()?,
        number()?,
        number()?,
    ];
    let text = columns.next()?.trim();
    (!text.is_empty()).then(|| Word {
        line: (block as u32, paragraph as u32, line as u32),
        x: x as i32,
        y: y as i32,
        width: width as u32,
        height: height as u32,
        confidence: (confidence / 100.0).clamp(0.0, 1.0),
        text: text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_from_the_table() {
        let text = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
                    4\t1\t1\t1\t1\t0\t10\t20\t100\t30\t-1\t\n\
                    5\t1\t1\t1\t2\t1\t10\t20\t60\t30\t96.5\tGrüße\n\
                    5\t1\t1\t1\t2\t2\t80\t20\t30\t30\t12\t \nbroken";
        let words = table(text);
        assert_eq!(words.len(), 1);
        assert_eq!((words[0].line, words[0].x, words[0].width), ((1, 1, 2), 10, 60));
        assert_eq!((words[0].text.as_str(), words[0].confidence), ("Grüße", 0.965));
    }

    #[test]
    fn languages_have_several_names() {
        assert_eq!(languages("t", None).unwrap(), "eng");
        assert_eq!(languages("t", Some("German")).unwrap(), "deu");
        assert_eq!(languages("t", Some("en+de")).unwrap(), "eng+deu");
        assert_eq!(languages("t", Some("chi_sim_vert")).unwrap(), "chi_sim_vert");
        for written in ["../x", "--psm", "xx", "eng+"] {
            assert_eq!(
                languages("t", Some(written)).unwrap_err().code,
                Code::InvalidParams,
                "{written}"
            );
        }
    }
}
