//! What depends on the operating system. Another system is another file here.
//!
//! A platform gives:
//!
//! - [`Confinement`]: how a path below a folder's handle is opened so that nothing leads out of the
//!   folder: no `..`, no link, no race. [`Confinement::of`] tries out which way this kernel has.
//! - [`Fence`]: what a thread can lock itself behind, for good, so that the kernel refuses it the
//!   content of everything but the folders it was given. `None` of it is an answer: the doctor says
//!   so, and the first wall stands alone.
//!
//! What no platform can contain, and is dealt with elsewhere: a hard link is the file itself, so a
//! file with several names is replaced and never written in place; what stands outside can be
//! *seen* to exist by whoever may open a handle without reading it; a folder that another process
//! moves out of the root while it is being read is read to its end.

#[cfg(not(target_os = "linux"))]
compile_error!("server/workspace/src/platform has no file for this system yet");

#[cfg(target_os = "linux")]
mod fence;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
pub(crate) use {fence::Fence, linux::Confinement};
