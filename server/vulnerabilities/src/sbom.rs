//! Lists of packages as CycloneDX 1.6 and SPDX 2.3 documents.

use serde_json::{Value, json};

use crate::Ecosystem;
use crate::locks::LockedPackage;

/// The package URL.
fn purl(package: &LockedPackage) -> String {
    let LockedPackage { ecosystem, name, version, .. } = package;
    let name = match ecosystem {
        Ecosystem::Maven => name.replacen(':', "/", 1),
        ecosystem => ecosystem.normalized(name).into_owned(),
    };
    let path: Vec<String> = name.split('/').map(encoded).collect();
    format!("pkg:{}/{}@{}", ecosystem.purl_type(), path.join("/"), encoded(version))
}

fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().fold(String::new(), |mut encoded, byte| {
        match is_plain(byte) {
            true => encoded.push(char::from(byte)),
            false => encoded.push_str(&format!("%{byte:02X}")),
        }
        encoded
    })
}

/// A CycloneDX document. `timestamp` is RFC 3339.
#[must_use]
pub fn cyclonedx(name: &str, packages: &[LockedPackage], timestamp: &str, tool: &str) -> Value {
    let components: Vec<Value> = packages
        .iter()
        .map(|package| {
            let purl = purl(package);
            let scope = if package.is_dev { "optional" } else { "required" };
            json!({
                "type": "library", "bom-ref": purl, "name": package.name, "version": package.version,
                "scope": scope, "purl": purl,
            })
        })
        .collect();
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": timestamp,
            "tools": { "components": [{ "type": "application", "name": "tandem", "version": tool }] },
            "component": { "type": "application", "bom-ref": "root", "name": name },
        },
        "components": components,
    })
}

/// An SPDX document. `namespace` is a URI that no other document has.
#[must_use]
pub fn spdx(
    name: &str,
    packages: &[LockedPackage],
    timestamp: &str,
    tool: &str,
    namespace: &str,
) -> Value {
    let described = json!({
        "SPDXID": "SPDXRef-root", "name": name, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": false,
    });
    let listed = packages.iter().enumerate().map(|(at, package)| {
        json!({
            "SPDXID": format!("SPDXRef-package-{}", at + 1),
            "name": package.name,
            "versionInfo": package.version,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": false,
            "externalRefs": [{
                "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                "referenceLocator": purl(package),
            }],
        })
    });
    let relations = (1..=packages.len()).map(|at| {
        json!({
            "spdxElementId": "SPDXRef-root", "relationshipType": "DEPENDS_ON",
            "relatedSpdxElement": format!("SPDXRef-package-{at}"),
        })
    });
    let describes = json!({
        "spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
        "relatedSpdxElement": "SPDXRef-root",
    });
    json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": namespace,
        "creationInfo": { "created": timestamp, "creators": [format!("Tool: tandem-{tool}")] },
        "packages": std::iter::once(described).chain(listed).collect::<Vec<_>>(),
        "relationships": std::iter::once(describes).chain(relations).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_urls_name_their_ecosystem() {
        let purl = |ecosystem, name: &str, version: &str| {
            purl(&LockedPackage {
                ecosystem,
                name: name.to_owned(),
                version: version.to_owned(),
                line: 1,
                is_dev: false,
            })
        };
        assert_eq!(purl(Ecosystem::Npm, "@scope/a", "1.0.0"), "pkg:npm/%40scope/a@1.0.0");
        assert_eq!(purl(Ecosystem::PyPI, "Foo_Bar", "1.0"), "pkg:pypi/foo-bar@1.0");
        assert_eq!(purl(Ecosystem::Maven, "org.a:b", "1+x"), "pkg:maven/org.a/b@1%2Bx");
        assert_eq!(
            purl(Ecosystem::Go, "github.com/a/b", "v1.0.0"),
            "pkg:golang/github.com/a/b@v1.0.0"
        );
    }
}
