//! How much of a name is said before the place already: what belongs together is called alike.

use super::Typing;
use crate::facts::{Facts, Ref};
use crate::vocabulary::ScopeKind;

/// Shortest part of a name that tells anything.
const SHORT: usize = 3;

/// Shortest part that others may begin with.
const STEM: usize = 4;

/// Most bytes of the line before the place that are looked at.
const LINE: usize = 400;

/// The parts of the names before a place, on its line, and of the function around it.
pub(super) struct Kin(Vec<String>);

impl Kin {
    pub(super) fn before(facts: &Facts, typing: &Typing<'_>, own: &Ref) -> Self {
        let mut start = typing.before.len().saturating_sub(LINE);
        while !typing.before.is_char_boundary(start) {
            start += 1;
        }
        let mut all: Vec<String> = Vec::new();
        parts(&typing.before[start..], &mut |part| all.push(part.to_owned()));
        let mut at = own.scope;
        while let Some(scope) = facts.scopes.get(at as usize) {
            if scope.kind == ScopeKind::Function {
                let owner = facts.definitions.get(scope.owner as usize);
                let name = owner.map_or("", |def| facts.strings.text(def.name));
                parts(name, &mut |part| all.push(part.to_owned()));
                break;
            }
            at = scope.parent;
        }
        all.sort();
        all.dedup();
        Self(all)
    }

    /// The parts of the names in a few texts.
    pub(super) fn of(texts: &[&str]) -> Self {
        let mut all: Vec<String> = Vec::new();
        for text in texts {
            parts(text, &mut |part| all.push(part.to_owned()));
        }
        Self(all)
    }

    /// The share of a name that is said there, from 0 to 1.
    pub(super) fn with(&self, name: &str) -> f32 {
        if self.0.is_empty() {
            return 0.0;
        }
        let (mut whole, mut said) = (0, 0);
        parts(name, &mut |part| {
            whole += part.len();
            let alike = |other: &String| {
                *other == part
                    || other.len() >= STEM && part.starts_with(&**other)
                    || part.len() >= STEM && other.starts_with(part)
            };
            if self.0.iter().any(alike) {
                said += part.len();
            }
        });
        if whole == 0 { 0.0 } else { said as f32 / whole as f32 }
    }
}

/// The parts of the names in a text, in small letters: between lines, and by capitals.
fn parts(text: &str, take: &mut dyn FnMut(&str)) {
    let mut part = String::new();
    let mut last = ' ';
    for c in text.chars().chain([' ']) {
        let begins = !c.is_alphanumeric() || c.is_uppercase() && last.is_lowercase();
        if begins {
            if part.len() >= SHORT {
                take(&part);
            }
            part.clear();
        }
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
        last = c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_parts() {
        let mut all: Vec<String> = Vec::new();
        parts("HTTPServer fooBar uv_mutex_t x", &mut |part| all.push(part.to_owned()));
        assert_eq!(all, ["httpserver", "foo", "bar", "mutex"]);
        let kin = Kin(vec!["mutex".into(), "vterm".into()]);
        assert_eq!(kin.with("uv_mutex_t"), 1.0);
        assert_eq!(kin.with("uv_vtermstate_mode"), 10.0 / 14.0);
        assert_eq!(kin.with("x"), 0.0);
    }
}
