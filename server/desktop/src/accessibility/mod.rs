//! What programs report of their windows to assistive technology, over AT-SPI.
//!
//! [`bus`] connects to the bus on which programs answer. [`programs`] finds the trees of a window, [`tree`] reads
//! them within limits, [`element`] has what is known of one element, and its id, with which [`resolve`] finds it
//! again. [`actions`] does something with it. Everything that a program answers is hostile.

pub(crate) mod actions;
pub(crate) mod bus;
pub(crate) mod element;
pub(crate) mod programs;
pub(crate) mod resolve;
pub(crate) mod tree;
