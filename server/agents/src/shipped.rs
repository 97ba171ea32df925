//! The workflows that come with the program: their names and texts.

pub(crate) const WORKFLOWS: &[(&str, &str)] = &[
    ("bisect", include_str!("workflows/shipped/bisect.toml")),
    ("dependency-bump", include_str!("workflows/shipped/dependency-bump.toml")),
    ("release-checks", include_str!("workflows/shipped/release-checks.toml")),
    ("rename-across-packages", include_str!("workflows/shipped/rename-across-packages.toml")),
    ("worktree-per-task", include_str!("workflows/shipped/worktree-per-task.toml")),
];
