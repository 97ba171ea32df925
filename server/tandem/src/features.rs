//! What a build leaves out, and the command that installs all of it.

/// The command that installs a binary with every feature.
pub(crate) const INSTALL: &str = "cargo install --path server/tandem --features full";

/// The features that this binary was built without, and what each would bring.
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
