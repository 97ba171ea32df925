//! Whose indentation `new_text` is written in, where `old_text` has another than the file.
//!
//! An author who quotes without the indentation usually writes both texts alike. Some copy the new
//! one from elsewhere in its place's own indentation, and mapping it would indent it twice. The
//! lines that both texts have say which it is.

use crate::lines::{Piece, indent, trim};
use crate::transplant::{line_ops, pairing};
use similar::DiffOp;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// That of `old_text`, or nothing tells.
    Author,
    /// The file's.
    File,
    /// Some lines have the one and some the other.
    Mixed,
}

/// Judges by the lines of `base` (`old_text`) that `theirs` (`new_text`) keeps or changes; `aligned`
/// gives each its line of `ours`.
pub(crate) fn whose(
    base: &[Piece<'_>],
    theirs: &[Piece<'_>],
    ours: &[Piece<'_>],
    aligned: &[Option<usize>],
) -> Whose {
    let words = |pieces: &[Piece<'_>]| {
        pieces.iter().map(|piece| trim(piece.content).to_owned()).collect::<Vec<_>>()
    };
    let (old, new) = (words(base), words(theirs));
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
    let (mut kept, mut changed) = (Vec::new(), Vec::new());
    for op in line_ops(&old, &new) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                kept.extend((0..len).map(|step| (old_index + step, new_index + step)));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                let pairs = pairing(
                    &old[old_index..old_index + old_len],
                    &new[new_index..new_index + new_len],
                );
                changed.extend(pairs.into_iter().map(|(a, b)| (old_index + a, new_index + b)));
            }
            _ => {}
        }
    }
    match judge(&kept, base, theirs, ours, aligned) {
        None => judge(&changed, base, theirs, ours, aligned).unwrap_or(Whose::Author),
        Some(whose) => whose,
    }
}

fn judge(
    pairs: &[(usize, usize)],
    base: &[Piece<'_>],
    theirs: &[Piece<'_>],
    ours: &[Piece<'_>],
    aligned: &[Option<usize>],
) -> Option<Whose> {
    let (mut author, mut file) = (0, 0);
    for &(old, new) in pairs {
        let Some(line) = aligned.get(old).copied().flatten() else { continue };
        let Some(ours) = ours.get(line) else { continue };
        let is_blank = base[old].is_blank() || ours.is_blank();
        let (old, new, own) =
            (indent(base[old].content), indent(theirs[new].content), indent(ours.content));
        if old == own || is_blank {
            continue;
        }
        author += usize::from(new == old);
        file += usize::from(new == own);
    }
    match (author, file) {
        (0, 0) => None,
        (_, 0) => Some(Whose::Author),
        (0, _) => Some(Whose::File),
        _ => Some(Whose::Mixed),
    }
}

/// The lines of `base` in the file's indentation.
pub(crate) fn as_in_file(
    base: &[Piece<'_>],
    ours: &[Piece<'_>],
    aligned: &[Option<usize>],
) -> Vec<String> {
    let own = |(line, piece): (usize, &Piece<'_>)| {
        let there = aligned.get(line).copied().flatten().and_then(|line| ours.get(line));
        match there {
            Some(there) if !piece.is_blank() => {
                let rest = &piece.content[indent(piece.content).len()..];
                format!("{}{rest}", indent(there.content))
            }
            _ => piece.content.to_owned(),
        }
    };
    base.iter().enumerate().map(own).collect()
}
