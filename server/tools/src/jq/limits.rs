//! Bounds one run of a filter: steps, time, memory, nesting and stack.
//!
//! Filters come from files that a person may have copied from anywhere, and jq can loop for ever or
//! double a text in every step. The interpreter cannot be interrupted from outside, so each of its steps
//! and each value that it makes is counted here. A filter that exceeds a limit is unwound, because an
//! error could be caught by the filter itself (`try`), which would then go on.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// Most steps of one run. A result of 2,000 entries takes about 100,000.
const MAX_STEPS: u32 = 4_000_000;
/// Longest run.
const MAX_TIME: Duration = Duration::from_millis(500);
/// How often the clock is read, in steps.
const CLOCK_INTERVAL: u32 = 64;
/// Most bytes that the values made in one run may take together.
const MAX_BYTES: usize = 128 << 20;
/// Deepest nesting of a value, as for JSON that is parsed.
pub(super) const MAX_DEPTH: u32 = 128;
/// Most stack that one run may use; threads have at least 2 MiB.
const MAX_STACK: usize = 512 << 10;

/// Why a run was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Stopped {
    #[error("it did not end within {MAX_STEPS} steps or {} ms", MAX_TIME.as_millis())]
    Endless,
    #[error("its values take more than {} MiB", MAX_BYTES >> 20)]
    Memory,
    #[error("its values are nested deeper than {MAX_DEPTH} levels")]
    Depth,
    #[error("it recurses too deeply")]
    Stack,
    #[error("the interpreter failed")]
    Defect,
}

struct Usage {
    steps: Cell<u32>,
    bytes: Cell<usize>,
    /// Address on the stack at the start.
    stack: Cell<usize>,
    deadline: Cell<Option<Instant>>,
}

thread_local! {
    static USAGE: Usage = const {
        Usage { steps: Cell::new(0), bytes: Cell::new(0), stack: Cell::new(0), deadline: Cell::new(None) }
    };
}

/// Runs `work` with fresh limits.
pub(super) fn limited<T>(work: impl FnOnce() -> T) -> Result<T, Stopped> {
    let marker = 0u8;
    USAGE.with(|usage| {
        usage.steps.set(0);
        usage.bytes.set(0);
        usage.stack.set(std::ptr::from_ref(&marker).addr());
        usage.deadline.set(Some(Instant::now() + MAX_TIME));
    });
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload: Box<dyn Any + Send>| {
        payload.downcast_ref::<Stopped>().copied().unwrap_or(Stopped::Defect)
    })
}

/// Counts a step of the interpreter.
pub(super) fn step() {
    let marker = 0u8;
    USAGE.with(|usage| {
        let steps = usage.steps.get() + 1;
        usage.steps.set(steps);
        let is_late = || usage.deadline.get().is_some_and(|deadline| Instant::now() > deadline);
        if steps > MAX_STEPS || (steps.is_multiple_of(CLOCK_INTERVAL) && is_late()) {
            stop(Stopped::Endless);
        }
        if std::ptr::from_ref(&marker).addr().abs_diff(usage.stack.get()) > MAX_STACK {
            stop(Stopped::Stack);
        }
    });
}

/// Counts memory that is about to be taken.
pub(super) fn allocate(bytes: usize) {
    USAGE.with(|usage| {
        let taken = usage.bytes.get().saturating_add(bytes);
        if taken > MAX_BYTES {
            stop(Stopped::Memory);
        }
        usage.bytes.set(taken);
    });
}

/// Checks how deeply a value is nested.
pub(super) fn check_depth(depth: u32) {
    if depth > MAX_DEPTH {
        stop(Stopped::Depth);
    }
}

/// Unwinds to [`limited`], without a panic message.
fn stop(why: Stopped) -> ! {
    resume_unwind(Box::new(why))
}
