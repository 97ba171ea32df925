//! Groups of actions that are undone together.

/// A group of actions that are undone together.
#[derive(Debug, Clone, Copy)]
pub struct ActionGroup<'a> {
    /// Its name.
    pub name: &'a str,
    /// The part of it that an action is of, such as a step.
    pub part: &'a str,
}
