//! An empty stand-in for `insta`, a snapshot-testing library.
//!
//! `brush-parser` 0.4 lists insta among its ordinary dependencies although only its own tests use
//! it. The real one, with a second `similar`, `pest` and `console`, would be built into every
//! release. The workspace's manifest patches it with this crate; remove both once a release of
//! brush-parser lists insta as a development dependency. It provides nothing and knows nothing.
