//! Exchanges two names, and exchanges them back if another process changed the file in between.

use std::ffi::OsStr;
use std::path::Path;

use super::revert::inode_at;
use crate::entries::{InodeState, open_below};
use crate::platform::{Errno, Handle, Opening, RenameMode, hard_link, rename, stat};

/// Two names to exchange: `from` is our hidden name, `to` is visible to others.
pub(super) struct NamePair<'a> {
    pub(super) from: (&'a Handle, &'a OsStr),
    pub(super) to: (&'a Handle, &'a OsStr),
}

/// What is at `from` after the exchange was undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PutBackOutcome {
    /// The file that was there before the exchange.
    Original,
    /// A file that others have replaced or removed since.
    Replaced,
    /// A file that others have written and not replaced.
    WrittenByOthers,
}

/// Number of attempts against another process that writes all the time.
const MAX_ATTEMPTS: usize = 64;

impl NamePair<'_> {
    /// Exchanges the files behind the two names.
    pub(super) fn exchange(&self) -> Result<(), Errno> {
        match rename(self.from, self.to, RenameMode::Exchange) {
            Err(Errno::INVAL | Errno::NOSYS) => self.exchange_in_steps(),
            done => done,
        }
    }

    /// The fallback for file systems without `RENAME_EXCHANGE`. A crash in between leaves the
    /// replaced file under a hidden name.
    fn exchange_in_steps(&self) -> Result<(), Errno> {
        let (from, to) = (self.from, self.to);
        let mut aside = from.1.to_owned();
        aside.push(".old");
        let aside = (from.0, aside.as_os_str());
        let plain = RenameMode::Replace;
        if hard_link(to, aside).is_err() {
            rename(to, aside, plain)?;
        }
        rename(from, to, plain).inspect_err(|_| {
            let _ = rename(aside, to, plain);
        })?;
        rename(aside, from, plain)
    }

    /// Exchanges the names back and takes `put` out of `to`. If others have put a newer file there
    /// meanwhile, that one stays.
    pub(super) fn put_back(&self, put: HeldInode) -> Result<PutBackOutcome, Errno> {
        self.put_back_by(put, || self.exchange())
    }

    /// As [`NamePair::put_back`], with a replaceable exchange for tests.
    fn put_back_by(
        &self,
        mut put: HeldInode,
        mut exchange: impl FnMut() -> Result<(), Errno>,
    ) -> Result<PutBackOutcome, Errno> {
        let mut left = PutBackOutcome::Original;
        for _ in 0..MAX_ATTEMPTS {
            // Hold the file that is about to be put in place: if others removed it, its inode
            // number could be reused by a new file, which would then look like it.
            let back = HeldInode::open(self.from)?;
            match exchange() {
                // Others have deleted `to`, meaning the file that we had replaced.
                Err(Errno::NOENT) if inode_at(self.to.0, self.to.1).is_none() => {
                    return Ok(left.max(PutBackOutcome::Replaced));
                }
                done => done?,
            }
            // `out` is what the exchange took out of `to`. If it is the expected file, all is as
            // before. Otherwise others were faster: their file goes back, and what we just put in
            // place comes out, in the next round.
            let (out, _) = inode_at(self.from.0, self.from.1).ok_or(Errno::NOENT)?;
            if out == put.node {
                return Ok(left);
            }
            let how = if out.is_same_file(&put.node) {
                PutBackOutcome::WrittenByOthers
            } else {
                PutBackOutcome::Replaced
            };
            left = left.max(how);
            put = back;
        }
        // Only the other process can tell which of the two files is newer.
        Ok(PutBackOutcome::WrittenByOthers)
    }
}

/// The inode at a name, held open so that its number is not reused.
pub(super) struct HeldInode {
    pub(super) node: InodeState,
    _open: Handle,
}

impl HeldInode {
    pub(super) fn open((dir, name): (&Handle, &OsStr)) -> Result<Self, Errno> {
        let open = open_below(dir, Path::new(name), Opening::Inspect)?;
        Ok(Self { node: InodeState::from_stat(&stat(&open)?), _open: open })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Undoes an exchange while `meanwhile` runs before each attempt with its number. Returns the
    /// outcome and the texts of `from` and `to`.
    fn put_back(
        meanwhile: impl Fn(usize, &Path),
    ) -> (PutBackOutcome, Option<String>, Option<String>) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("from"), "theirs").unwrap();
        fs::write(at("to"), "ours").unwrap();
        let dir = Handle::from(fs::File::open(folder.path()).unwrap());
        let names = NamePair { from: (&dir, "from".as_ref()), to: (&dir, "to".as_ref()) };
        let mut tries = 0;
        let exchange = || {
            meanwhile(tries, &at("to"));
            tries += 1;
            names.exchange()
        };
        let left = names.put_back_by(HeldInode::open(names.to).unwrap(), exchange).unwrap();
        (left, fs::read_to_string(at("from")).ok(), fs::read_to_string(at("to")).ok())
    }

    fn replace(number: usize, path: &Path) {
        let new = path.with_file_name("new");
        fs::write(&new, format!("replaced {number}")).unwrap();
        fs::rename(&new, path).unwrap();
    }

    #[test]
    fn the_replaced_file_is_restored() {
        let (left, from, to) = put_back(|_, _| {});
        assert_eq!(
            (left, from.unwrap(), to.unwrap()),
            (PutBackOutcome::Original, "ours".into(), "theirs".into())
        );
    }

    #[test]
    fn a_file_that_others_put_there_meanwhile_stays() {
        let often = |number: usize, path: &Path| {
            if number < 3 {
                replace(number, path);
            }
        };
        let (left, from, to) = put_back(often);
        let expected = (PutBackOutcome::Replaced, "replaced 1".into(), "replaced 2".into());
        assert_eq!((left, from.unwrap(), to.unwrap()), expected);
    }

    #[test]
    fn text_that_others_write_into_our_file_stays_beside_their_earlier_one() {
        let append = |number: usize, path: &Path| {
            if number == 0 {
                let text = fs::read_to_string(path).unwrap();
                fs::write(path, text + " and theirs").unwrap();
            }
        };
        let (left, from, to) = put_back(append);
        let expected = (PutBackOutcome::WrittenByOthers, "theirs".into(), "ours and theirs".into());
        assert_eq!((left, from.unwrap(), to.unwrap()), expected);
    }

    #[test]
    fn both_texts_of_a_process_that_writes_all_the_time_are_kept() {
        let (left, from, to) = put_back(replace);
        let last = format!("replaced {}", MAX_ATTEMPTS - 1);
        let before = format!("replaced {}", MAX_ATTEMPTS - 2);
        assert_eq!(
            (left, from.unwrap(), to.unwrap()),
            (PutBackOutcome::WrittenByOthers, last, before)
        );
    }

    #[test]
    fn a_file_that_others_remove_is_not_restored() {
        let (left, from, to) = put_back(|_, path| fs::remove_file(path).unwrap());
        assert_eq!((left, from.unwrap(), to), (PutBackOutcome::Replaced, "theirs".into(), None));
    }
}
