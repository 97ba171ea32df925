//! Optional features, and the families of tools that they build in.

/// The features that this binary lacks, with what each provides.
pub(crate) fn missing() -> Vec<&'static str> {
    let all = [
        (cfg!(feature = "agents"), "agents (`catalog`, runbooks)"),
        (cfg!(feature = "browser"), "browser (`navigate`, `click`, `browser_snapshot` and others)"),
        (cfg!(feature = "checks"), "checks (`build`, `test`, `lint`, `typecheck`, `format`)"),
        (cfg!(feature = "clusters"), "clusters (`kube_apply`, `kube_get`, `kube_logs` and others)"),
        (cfg!(feature = "dashboard"), "dashboard (`tandem dashboard`)"),
        (
            cfg!(feature = "containers"),
            "containers (`docker_build`, `docker_run`, `docker_logs` and others)",
        ),
        (cfg!(feature = "database"), "database (`db_query`, `db_schema`, `db_explain`)"),
        (
            cfg!(feature = "desktop"),
            "desktop (`list_windows`, `screenshot`, `text_insert` and others)",
        ),
        (cfg!(feature = "hub"), "hub (`ws_start`, `ws_info`)"),
        (cfg!(feature = "infrastructure"), "infrastructure (`iac_plan`, `iac_apply`)"),
        (cfg!(feature = "knowledge"), "knowledge (`search`, `rag_query` and others)"),
        (
            cfg!(feature = "languages"),
            "languages (C#, Elixir, Haskell, Kotlin, OCaml, Scala, SQL, Swift and Zig)",
        ),
        (cfg!(feature = "models"), "models (`ml_generate`, `ml_score`, `embed` and others)"),
        (cfg!(feature = "node"), "node (debugging JavaScript and TypeScript)"),
        (cfg!(feature = "rewrite"), "rewrite (`structural_replace`)"),
        (cfg!(feature = "scip"), "scip (`tandem index --scip`)"),
        (
            cfg!(feature = "web"),
            "web (`http_request`, `web_fetch`, `web_search`, `dns_lookup`, `port_check`)",
        ),
    ];
    all.into_iter().filter(|(built, _)| !built).map(|(_, what)| what).collect()
}

/// The families of tools that are built in.
pub(crate) fn families() -> Vec<tools::Family> {
    vec![
        code_tools::family(),
        search_tools::family(),
        security_tools::family(),
        git_tools::family(),
        debug_tools::family(),
        process_tools::family(),
        records::family(),
        #[cfg(feature = "agents")]
        agents::family(),
        #[cfg(feature = "browser")]
        browser::family(),
        #[cfg(feature = "checks")]
        checks::family(),
        #[cfg(feature = "clusters")]
        clusters::family(),
        #[cfg(feature = "dashboard")]
        dashboard::family(),
        #[cfg(feature = "containers")]
        containers::family(),
        #[cfg(feature = "database")]
        database::family(),
        #[cfg(feature = "desktop")]
        desktop::family(),
        #[cfg(feature = "hub")]
        hub::family(),
        #[cfg(feature = "infrastructure")]
        infrastructure::family(),
        #[cfg(feature = "knowledge")]
        knowledge::family(),
        #[cfg(feature = "models")]
        models::family(),
        #[cfg(feature = "rewrite")]
        code_tools::rewrite_family(),
        #[cfg(feature = "web")]
        web::family(),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    #[test]
    fn optional_tools_are_those_of_the_families() {
        let of_families: BTreeMap<&str, Vec<&str>> = super::families()
            .into_iter()
            .filter_map(|family| {
                let tools = (family.tools)().iter().map(|tool| tool.name).collect();
                Some((family.feature?, tools))
            })
            .collect();
        for (feature, tools) in tools::optional_tools() {
            if let Some(built) = of_families.get(feature.as_str()) {
                assert_eq!(tools, built, "{feature}");
            }
        }
        for feature in of_families.keys() {
            assert!(tools::optional_tools().contains_key(*feature), "{feature}");
        }
    }
}
