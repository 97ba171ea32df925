//! Known vulnerabilities of the packages that lock files name.
//!
//! [`read_lock`] lists the packages of a lock file, [`Advisory`] is an advisory in the
//! [OSV format](https://ossf.github.io/osv-schema/), and [`scan`] joins the two. Versions are compared by the
//! rules of each [`Ecosystem`]. [`cyclonedx`] and [`spdx`] list the packages for other programs.
//!
//! This crate reads no files and knows no network.

mod advisory;
mod ecosystem;
mod locks;
mod sbom;
mod scan;
mod versions;

pub use advisory::{Advisory, Index, MAX_ADVISORY_BYTES};
pub use ecosystem::Ecosystem;
pub use locks::{
    LockError, LockedPackage, MAX_LOCK_BYTES, is_lock_file, lock_file_names, read_lock,
};
pub use sbom::{cyclonedx, spdx};
pub use scan::{Found, scan};
pub use versions::compare;
