//! Optional features, and how to install a build with all of them.

/// The command that installs all features.
pub(crate) const INSTALL: &str = "cargo install --path server/tandem --features full";

/// The features that this binary lacks, with what each provides.
pub(crate) fn missing() -> Vec<&'static str> {
    let all = [
        (
            cfg!(feature = "languages"),
            "languages (C#, Elixir, Haskell, Kotlin, OCaml, Scala, SQL, Swift and Zig)",
        ),
        (cfg!(feature = "scip"), "scip (`tandem index --scip`)"),
    ];
    all.into_iter().filter(|(built, _)| !built).map(|(_, what)| what).collect()
}
