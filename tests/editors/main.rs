//! End-to-end tests in real editors.
