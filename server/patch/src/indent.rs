//! Finds one consistent change of indentation between a patch and a file.
//!
//! A map is accepted only if it holds for every line. So nesting is preserved: code that is nested
//! differently is different code.

use crate::lines::{indent, is_blank};

/// How the author's indentation becomes the file's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IndentMap {
    /// As written.
    Identity,
    /// The file has an additional prefix. `retab` is for lines deeper than any that matched.
    Add { prefix: String, retab: Retab },
    /// The file lacks a prefix.
    Strip { prefix: String, retab: Retab },
    /// The same columns plus `shift`, with tabs of width `tab`.
    Columns { tab: usize, shift: isize, tabs: bool },
    /// `from` blanks of the author are `to` blanks of the file, `shift` levels deeper.
    Scale { from: usize, to: usize, shift: isize },
}

/// How to write indentation deeper than any that matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retab {
    Keep,
    /// This many blanks become a tab.
    ToTabs(usize),
    /// A tab becomes this many blanks.
    ToBlanks(usize),
}

/// How the lines near a place are indented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndentStyle {
    pub(crate) tabs: bool,
    /// Blanks per level.
    pub(crate) unit: usize,
}

impl IndentStyle {
    /// The style of `lines`; `None` if none is indented.
    pub(crate) fn from_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Option<IndentStyle> {
        let (mut tabs, mut blanks, mut unit, mut before) = (0usize, 0usize, usize::MAX, 0usize);
        for line in lines.filter(|line| !is_blank(line)) {
            let indent = indent(line);
            if indent.starts_with('\t') {
                tabs += 1;
            } else if !indent.is_empty() {
                blanks += 1;
            }
            let width = if indent.contains('\t') { 0 } else { indent.len() };
            if width > before && width - before >= 2 {
                unit = unit.min(width - before);
            }
            before = width;
        }
        if tabs + blanks == 0 {
            return None;
        }
        Some(IndentStyle { tabs: tabs > blanks, unit: if unit == usize::MAX { 4 } else { unit } })
    }
}

/// The width of an indentation in columns.
fn width(indent: &str, tab: usize) -> usize {
    indent.bytes().fold(0, |at, byte| if byte == b'\t' { (at / tab + 1) * tab } else { at + 1 })
}

/// The greatest common divisor of the differences between indentations of blanks.
pub(crate) fn indent_unit<'a>(indents: impl Iterator<Item = &'a str>) -> Option<usize> {
    let mut widths: Vec<usize> =
        indents.filter(|indent| !indent.contains('\t')).map(str::len).collect();
    widths.sort_unstable();
    widths.dedup();
    let steps = widths.windows(2).map(|pair| pair[1] - pair[0]);
    match steps.fold(0, gcd) {
        0 => widths.last().copied().filter(|&width| width > 0),
        unit => Some(unit),
    }
    .filter(|&unit| unit > 1)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl IndentMap {
    /// Whether the file's lines are deeper or less deep than the author's, other than by the width of a
    /// level.
    pub(crate) fn changes_depth(&self) -> bool {
        match self {
            Self::Identity => false,
            Self::Add { .. } | Self::Strip { .. } => true,
            Self::Columns { shift, .. } | Self::Scale { shift, .. } => *shift != 0,
        }
    }

    /// The map from the first to the second indentation of each pair, if one exists.
    ///
    /// `author` are the indentations of all that the author wrote, `near` is how the
    /// file is indented around the place. O(pairs + author).
    pub(crate) fn fit(
        pairs: &[(&str, &str)],
        author: &[&str],
        near: Option<IndentStyle>,
    ) -> Option<IndentMap> {
        IndentMap::simplest(pairs, author, near).filter(|map| !map.is_by_one_blank())
    }

    fn simplest(
        pairs: &[(&str, &str)],
        author: &[&str],
        near: Option<IndentStyle>,
    ) -> Option<IndentMap> {
        let (first_old, first_file) = *pairs.first()?;
        if pairs.iter().all(|(old, file)| old == file) {
            return Some(IndentMap::Identity);
        }
        let unit = indent_unit(author.iter().copied());
        if let Some(prefix) = first_file.strip_suffix(first_old)
            && pairs.iter().all(|(old, file)| file.strip_prefix(prefix) == Some(old))
        {
            let retab = retab(pairs, prefix, author, unit, near);
            return Some(IndentMap::Add { prefix: prefix.to_owned(), retab });
        }
        if let Some(prefix) = first_old.strip_suffix(first_file)
            && pairs.iter().all(|(old, file)| old.strip_prefix(prefix) == Some(file))
        {
            let retab = retab(pairs, prefix, author, unit, near);
            return Some(IndentMap::Strip { prefix: prefix.to_owned(), retab });
        }
        columns(pairs, unit, near).or_else(|| scale(pairs))
    }

    /// Whether it moves lines by one blank. That is more likely a missing or misread diff marker than
    /// a level of indentation.
    fn is_by_one_blank(&self) -> bool {
        match self {
            IndentMap::Add { prefix, .. } | IndentMap::Strip { prefix, .. } => prefix == " ",
            IndentMap::Columns { shift, .. } => shift.abs() == 1,
            IndentMap::Identity | IndentMap::Scale { .. } => false,
        }
    }

    /// The file's indentation for one that the author wrote.
    pub(crate) fn apply(&self, indent: &str) -> String {
        match self {
            IndentMap::Identity => indent.to_owned(),
            IndentMap::Add { prefix, retab } => format!("{prefix}{}", retab.apply(indent)),
            IndentMap::Strip { prefix, retab } => match indent.strip_prefix(prefix.as_str()) {
                Some(rest) => retab.apply(rest),
                None => String::new(),
            },
            IndentMap::Columns { tab, shift, tabs } => {
                let columns = (width(indent, *tab) as isize + shift).max(0) as usize;
                if *tabs {
                    "\t".repeat(columns / tab) + &" ".repeat(columns % tab)
                } else {
                    " ".repeat(columns)
                }
            }
            IndentMap::Scale { from, to, shift } => {
                let levels = (indent.len() / from) as isize + shift;
                " ".repeat(levels.max(0) as usize * to + indent.len() % from)
            }
        }
    }
}

impl Retab {
    fn apply(self, indent: &str) -> String {
        match self {
            Retab::Keep => indent.to_owned(),
            Retab::ToTabs(unit) => {
                let columns = width(indent, unit);
                "\t".repeat(columns / unit) + &" ".repeat(columns % unit)
            }
            Retab::ToBlanks(unit) => indent.replace('\t', &" ".repeat(unit)),
        }
    }
}

/// Deeper lines follow the file, unless the pairs show that it keeps the author's own kind.
fn retab(
    pairs: &[(&str, &str)],
    prefix: &str,
    author: &[&str],
    unit: Option<usize>,
    near: Option<IndentStyle>,
) -> Retab {
    let is_in_both =
        |byte: char| pairs.iter().any(|(old, file)| old.contains(byte) && file.contains(byte));
    let added = pairs.iter().any(|(old, file)| file.len() > old.len());
    let tabs = if added && !prefix.is_empty() {
        prefix.ends_with('\t')
    } else {
        near.is_some_and(|near| near.tabs)
    };
    let author_has = |byte: char| author.iter().any(|indent| indent.contains(byte));
    if tabs && author_has(' ') && !is_in_both(' ') {
        Retab::ToTabs(unit.unwrap_or(4))
    } else if !tabs && author_has('\t') && !is_in_both('\t') {
        Retab::ToBlanks(near.map_or(4, |near| near.unit))
    } else {
        Retab::Keep
    }
}

fn columns(
    pairs: &[(&str, &str)],
    unit: Option<usize>,
    near: Option<IndentStyle>,
) -> Option<IndentMap> {
    let near_unit = near.filter(|near| !near.tabs).map(|near| near.unit);
    let has_tab = pairs.iter().any(|(old, file)| old.contains('\t') || file.contains('\t'));
    if !has_tab || pairs.iter().any(|(old, file)| hides_depth(old, file) || hides_depth(file, old))
    {
        return None;
    }
    let tabs = pairs.iter().any(|(_, file)| file.contains('\t'))
        || (pairs.iter().all(|(_, file)| file.is_empty()) && near.is_some_and(|near| near.tabs));
    // With tabs on the author's side the file's own unit is the likelier width.
    let sizes = if tabs { [unit, near_unit] } else { [near_unit, unit] };
    sizes.into_iter().flatten().chain([4, 2, 8, 3]).find_map(|tab| {
        let mut shifts =
            pairs.iter().map(|(old, file)| width(file, tab) as isize - width(old, tab) as isize);
        let shift = shifts.next()?;
        let plain = shift == 0 || matches!(tab, 2 | 4) || depths(pairs) > 2;
        (plain && shifts.all(|other| other == shift)).then_some(IndentMap::Columns {
            tab,
            shift,
            tabs,
        })
    })
}

/// Whether one indentation has blanks before a tab where the other has tabs alone. At some widths of a tab such blanks
/// do not show, so the two may be of the same depth or of different ones.
fn hides_depth(mixed: &str, other: &str) -> bool {
    mixed.contains(" \t") && other.contains('\t') && !other.contains(" \t")
}

/// How many different indentations the author's lines have.
fn depths(pairs: &[(&str, &str)]) -> usize {
    let mut indents: Vec<&str> = pairs.iter().map(|pair| pair.0).collect();
    indents.sort_unstable();
    indents.dedup();
    indents.len()
}

fn scale(pairs: &[(&str, &str)]) -> Option<IndentMap> {
    if pairs.iter().any(|(old, file)| old.contains(|c| c != ' ') || file.contains(|c| c != ' ')) {
        return None;
    }
    const UNITS: [usize; 5] = [2, 4, 8, 3, 6];
    for from in UNITS {
        for to in UNITS.into_iter().filter(|&to| to != from) {
            let level = |(old, file): &(&str, &str)| {
                (old.len() % from == 0 && file.len() % to == 0)
                    .then(|| (file.len() / to) as isize - (old.len() / from) as isize)
            };
            let Some(shift) = level(&pairs[0]) else { continue };
            // Two depths fit some scale by chance.
            let plain = shift == 0 || depths(pairs) > 2;
            if plain && pairs.iter().all(|pair| level(pair) == Some(shift)) {
                return Some(IndentMap::Scale { from, to, shift });
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(pairs: &[(&str, &str)]) -> Option<IndentMap> {
        let author: Vec<&str> = pairs.iter().map(|pair| pair.0).collect();
        IndentMap::fit(pairs, &author, None)
    }

    #[test]
    fn depth_must_be_kept() {
        assert_eq!(fit(&[("", "    "), ("    ", "        "), ("    ", "    ")]), None);
        assert_eq!(fit(&[("", ""), ("    ", "        "), ("    ", "    ")]), None);
        assert_eq!(fit(&[("        ", "        "), ("", "    ")]), None);
        assert_eq!(fit(&[("        ", "\t\t"), ("", "\t")]), None);
        assert_eq!(fit(&[("\t", "\t"), ("    \t", "\t"), ("\t\t", "\t\t")]), None);
    }

    #[test]
    fn prefixes() {
        let map = fit(&[("", "  "), ("  ", "    ")]).expect("a map");
        assert_eq!(map.apply("    "), "      ");
        let map = fit(&[("    ", ""), ("        ", "    ")]).expect("a map");
        assert_eq!(map.apply("            "), "        ");
    }

    #[test]
    fn tabs_and_blanks() {
        let map = fit(&[("    ", "\t"), ("        ", "\t\t")]).expect("a map");
        assert_eq!(map.apply("            "), "\t\t\t");
        let map = fit(&[("", "\t\t"), ("  ", "\t\t\t")]).expect("a map");
        assert_eq!(map.apply("    "), "\t\t\t\t");
        let map = fit(&[("\t", "    "), ("\t\t", "        ")]).expect("a map");
        assert_eq!(map.apply("\t\t\t"), "            ");
    }

    #[test]
    fn units() {
        let map = fit(&[("  ", "    "), ("    ", "        ")]).expect("a map");
        assert_eq!(map.apply("      "), "            ");
    }
}
