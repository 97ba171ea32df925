//! Numbers that a result leaves out.

/// Whether a number is zero, for `skip_serializing_if`.
pub fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
