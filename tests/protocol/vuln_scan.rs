//! `vuln_scan` and `sbom` on lock files of several ecosystems.

use serde_json::{Value, json};
use tests::{Server, user_config};

const FIXTURE: &str = r#"
//- /web/package-lock.json
{
  "lockfileVersion": 3,
  "packages": {
    "": { "name": "app" },
    "node_modules/lodash": { "version": "4.17.20" },
    "node_modules/minimist": { "version": "1.2.5", "dev": true },
    "node_modules/fine": { "version": "1.0.0" }
  }
}
//- /web/src/app.js
import get from 'lodash/get';
//- /requirements.txt
Django==3.2.1
requests==2.31.0
//- /broken/Cargo.lock
[[package
"#;

fn advisory(id: &str, ecosystem: &str, name: &str, severity: &str, events: Value) -> String {
    json!({
        "id": id, "aliases": [format!("CVE-{id}")], "summary": format!("{name} is bad"),
        "database_specific": { "severity": severity },
        "affected": [{
            "package": { "ecosystem": ecosystem, "name": name },
            "ranges": [{ "type": "ECOSYSTEM", "events": events }],
        }],
    })
    .to_string()
}

/// A server whose person has advisories.
fn start() -> Server {
    let builder = Server::builder(FIXTURE);
    let osv = builder.home().outside().join("osv");
    std::fs::create_dir_all(osv.join("npm")).unwrap();
    let write =
        |name: &str, text: String| std::fs::write(osv.join("npm").join(name), text).unwrap();
    let fixed = |version: &str| json!([{ "introduced": "0" }, { "fixed": version }]);
    write("1.json", advisory("A-1", "npm", "lodash", "HIGH", fixed("4.17.21")));
    write("2.json", advisory("A-2", "npm", "minimist", "CRITICAL", fixed("1.2.6")));
    write("3.json", advisory("A-3", "npm", "fine", "LOW", fixed("0.9.0")));
    write("4.json", advisory("A-4", "PyPI", "django", "MODERATE", fixed("3.2.13")));
    write("5.json", advisory("A-5", "PyPI", "Django", "LOW", json!([{ "introduced": "4.0" }])));
    write("6.json", "no advisory".to_owned());
    let settings = format!("[vulnerabilities]\nadvisories = [\"{}\"]\n", osv.display());
    user_config(builder.home(), &settings);
    builder.start()
}

/// `package version path:line upgrade` of each finding.
fn findings(result: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let shown = |found: &Value| {
        format!(
            "{} {} {}:{} {}",
            text(&found["package"]),
            text(&found["version"]),
            text(&found["path"]),
            found["line"],
            text(&found["upgrade"])
        )
    };
    result["findings"].as_array().unwrap().iter().map(shown).collect()
}

#[test]
fn vulnerable_packages_are_found_with_their_upgrades_and_imports() {
    let server = start();
    let result = server.must("vuln_scan", json!({}));
    let expected = [
        "minimist 1.2.5 web/package-lock.json:6 1.2.6",
        "lodash 4.17.20 web/package-lock.json:5 4.17.21",
        "Django 3.2.1 requirements.txt:1 3.2.13",
    ];
    assert_eq!(findings(&result), expected, "{result}");
    let lodash = &result["findings"][1];
    assert_eq!(lodash["imported_by"], json!(["web/src/app.js"]));
    assert_eq!(lodash["advisories"][0]["id"], "A-1");
    assert_eq!(lodash["advisories"][0]["aliases"], json!(["CVE-A-1"]));
    // Nothing of the project imports it; Python's modules may have other names than their packages.
    assert_eq!(result["findings"][0]["imported_by"], json!([]));
    assert_eq!(result["findings"][2].get("imported_by"), None);
    assert_eq!((&result["packages"], &result["advisories"]), (&json!(5), &json!(5)));
    assert_eq!(result["skipped"][0]["path"], "broken/Cargo.lock");
    assert_eq!(result["incomplete"], true);
    let production = server.must("vuln_scan", json!({ "path": "web", "production": true }));
    assert_eq!(findings(&production), [expected[1]]);
    server.must_fail("vuln_scan", json!({ "type": "code" }), "E_UNSUPPORTED");
}

#[test]
fn unsaved_lock_files_count_and_missing_advisories_say_how_to_get_them() {
    let server = start();
    server.open_file("requirements.txt");
    server.replace_text("requirements.txt", "3.2.1", "3.2.13");
    let result = server.must("vuln_scan", json!({ "path": "requirements.txt" }));
    assert_eq!(findings(&result), [""; 0]);
    let none = Server::builder(FIXTURE).start();
    none.must_fail("vuln_scan", json!({}), "E_UNAVAILABLE");
    none.must_fail("vuln_scan", json!({ "path": "web/src" }), "E_FILE_NOT_FOUND");
}

#[test]
fn packages_are_listed_for_other_programs() {
    let server = start();
    let result = server.must("sbom", json!({ "production": true }));
    let document = &result["document"];
    assert_eq!(
        (&document["bomFormat"], &document["specVersion"]),
        (&json!("CycloneDX"), &json!("1.6"))
    );
    let components = document["components"].as_array().unwrap();
    let purls: Vec<_> = components.iter().map(|one| one["purl"].as_str().unwrap()).collect();
    assert_eq!(
        purls,
        [
            "pkg:npm/fine@1.0.0",
            "pkg:npm/lodash@4.17.20",
            "pkg:pypi/django@3.2.1",
            "pkg:pypi/requests@2.31.0"
        ]
    );
    let stored = server.must("sbom", json!({ "format": "spdx", "save_to": "sbom.json" }));
    assert_eq!(stored["saved"]["path"], "sbom.json");
    let written: Value = serde_json::from_str(&server.disk_text("sbom.json")).unwrap();
    assert_eq!(written["spdxVersion"], "SPDX-2.3");
    assert_eq!(written["packages"].as_array().unwrap().len(), 6);
}
