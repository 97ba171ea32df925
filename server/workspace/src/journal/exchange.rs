//! Two names exchanged, and what came out put back where somebody was quicker.

use std::ffi::OsStr;
use std::path::Path;

use super::back::node_at;
use crate::entries::{Node, open_below};
use crate::platform::{Errno, Handle, Opening, Rename, hard_link, rename, stat};

/// A name of our own, and one that others know as well.
pub(super) struct Names<'a> {
    pub(super) from: (&'a Handle, &'a OsStr),
    pub(super) to: (&'a Handle, &'a OsStr),
}

/// What stands at `from` once `to` has back what came out of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Left {
    /// What stood there at first.
    Ours,
    /// What somebody else has replaced, or removed, since.
    Replaced,
    /// What somebody has written, and replaced by nothing of their own.
    Written,
}

/// How often it is tried to be quicker than somebody who writes all the time.
const EXCHANGES: usize = 64;

impl Names<'_> {
    /// Each gets what the other has.
    pub(super) fn exchange(&self) -> Result<(), Errno> {
        match rename(self.from, self.to, Rename::Exchange) {
            Err(Errno::INVAL | Errno::NOSYS) => self.exchange_in_steps(),
            done => done,
        }
    }

    /// For file systems without an exchange of names. A crash in between leaves what was there under
    /// a hidden name.
    fn exchange_in_steps(&self) -> Result<(), Errno> {
        let (from, to) = (self.from, self.to);
        let mut aside = from.1.to_owned();
        aside.push(".old");
        let aside = (from.0, aside.as_os_str());
        let plain = Rename::Over;
        if hard_link(to, aside).is_err() {
            rename(to, aside, plain)?;
        }
        rename(from, to, plain).inspect_err(|_| {
            let _ = rename(aside, to, plain);
        })?;
        rename(aside, from, plain)
    }

    /// Puts what came out of `to` back into it, and takes out `put`, which took its place. What
    /// somebody has put there meanwhile is newer than both, and stays.
    pub(super) fn put_back(&self, put: Held) -> Result<Left, Errno> {
        self.put_back_by(put, || self.exchange())
    }

    fn put_back_by(
        &self,
        mut put: Held,
        mut exchange: impl FnMut() -> Result<(), Errno>,
    ) -> Result<Left, Errno> {
        let mut left = Left::Ours;
        for _ in 0..EXCHANGES {
            let back = Held::at(self.from)?;
            match exchange() {
                // They have removed it, as they thought: for them it stood in the other's place.
                Err(Errno::NOENT) if node_at(self.to.0, self.to.1).is_none() => {
                    return Ok(left.max(Left::Replaced));
                }
                done => done?,
            }
            let (out, _) = node_at(self.from.0, self.from.1).ok_or(Errno::NOENT)?;
            if out == put.node {
                return Ok(left);
            }
            let how = if out.is_same_file(&put.node) { Left::Written } else { Left::Replaced };
            left = left.max(how);
            put = back;
        }
        // Which of the two is the newer one is for whoever writes them to say.
        Ok(Left::Written)
    }
}

/// What stands at a name, kept from going, so that no other file gets its number.
pub(super) struct Held {
    pub(super) node: Node,
    _open: Handle,
}

impl Held {
    pub(super) fn at((dir, name): (&Handle, &OsStr)) -> Result<Self, Errno> {
        let open = open_below(dir, Path::new(name), Opening::Look)?;
        Ok(Self { node: Node::of(&stat(&open)?), _open: open })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// What is left at `from`, and the texts of `from` and `to`, when ours was put in the place of
    /// theirs, and somebody does `meanwhile` before each exchange back, told its number.
    fn put_back(meanwhile: impl Fn(usize, &Path)) -> (Left, Option<String>, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("from"), "theirs").unwrap();
        fs::write(at("to"), "ours").unwrap();
        let dir = Handle::from(fs::File::open(folder.path()).unwrap());
        let names = Names { from: (&dir, "from".as_ref()), to: (&dir, "to".as_ref()) };
        let mut tries = 0;
        let exchange = || {
            meanwhile(tries, &at("to"));
            tries += 1;
            names.exchange()
        };
        let left = names.put_back_by(Held::at(names.to).unwrap(), exchange).unwrap();
        (left, fs::read_to_string(at("from")).ok(), fs::read_to_string(at("to")).ok())
    }

    fn replace(number: usize, path: &Path) {
        let new = path.with_file_name("new");
        fs::write(&new, format!("replaced {number}")).unwrap();
        fs::rename(&new, path).unwrap();
    }

    #[test]
    fn what_came_out_goes_back() {
        let (left, from, to) = put_back(|_, _| {});
        assert_eq!(
            (left, from.unwrap(), to.unwrap()),
            (Left::Ours, "ours".into(), "theirs".into())
        );
    }

    #[test]
    fn what_somebody_puts_there_meanwhile_stays() {
        let often = |number: usize, path: &Path| {
            if number < 3 {
                replace(number, path);
            }
        };
        let (left, from, to) = put_back(often);
        let expected = (Left::Replaced, "replaced 1".into(), "replaced 2".into());
        assert_eq!((left, from.unwrap(), to.unwrap()), expected);
    }

    #[test]
    fn what_somebody_writes_into_ours_stays_beside_what_they_had_written_before() {
        let append = |number: usize, path: &Path| {
            if number == 0 {
                let text = fs::read_to_string(path).unwrap();
                fs::write(path, text + " and theirs").unwrap();
            }
        };
        let (left, from, to) = put_back(append);
        let expected = (Left::Written, "theirs".into(), "ours and theirs".into());
        assert_eq!((left, from.unwrap(), to.unwrap()), expected);
    }

    #[test]
    fn somebody_who_is_always_quicker_keeps_both_their_texts() {
        let (left, from, to) = put_back(replace);
        let last = format!("replaced {}", EXCHANGES - 1);
        let before = format!("replaced {}", EXCHANGES - 2);
        assert_eq!((left, from.unwrap(), to.unwrap()), (Left::Written, last, before));
    }

    #[test]
    fn what_somebody_removes_is_not_put_back() {
        let (left, from, to) = put_back(|_, path| fs::remove_file(path).unwrap());
        assert_eq!((left, from.unwrap(), to), (Left::Replaced, "theirs".into(), None));
    }
}
