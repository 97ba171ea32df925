//! `sbom`: the packages of lock files as a list for other programs.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vulnerabilities::{LockedPackage, cyclonedx, spdx};
use workspace::ContentHash;

use super::lock_files::{SkippedFile, lock_files};
use search_tools::search_effects;
use tools::{
    Code, Context, Effect, EffectKind, StoredFile, Tool, ToolError, storage_effect, storage_path,
    store_bytes,
};

pub(crate) struct Sbom;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A lock file, or a folder; every root by default.
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    format: Format,
    /// Leave out what only development needs.
    #[serde(default)]
    production: bool,
    /// Store the document in this file instead of returning it.
    #[serde(default)]
    save_to: Option<String>,
    /// Replace that file if it exists.
    #[serde(default)]
    overwrite: bool,
}

/// What kind of document.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// CycloneDX 1.6.
    #[default]
    CycloneDx,
    /// SPDX 2.3.
    Spdx,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The document.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<Map<String, Value>>,
    /// Number of packages.
    packages: usize,
    /// Paths of the lock files.
    lock_files: Vec<String>,
    /// Lock files that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedFile>,
    /// The file in which the document was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<StoredFile>,
}

impl Tool for Sbom {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "sbom";
    const DESCRIPTION: &'static str = "List the packages of lock files as a CycloneDX or SPDX document. \
        `save_to` stores it.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Write];
    const LOCKS_LATE: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let mut effects = search_effects(context, params.path.as_deref())?;
        let path = params.save_to.as_deref();
        effects.extend(storage_effect(context, Self::NAME, path, params.overwrite)?);
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let locks = lock_files(context, tool, params.path.as_deref())?;
        if locks.files.is_empty() {
            let message = format!("{tool}: there is no lock file that can be read");
            return Err(ToolError::new(Code::FileNotFound, message)
                .hint("name a folder with a Cargo.lock, package-lock.json, uv.lock, go.mod, …"));
        }
        let mut packages: Vec<LockedPackage> =
            locks.files.iter().flat_map(|lock| lock.packages.clone()).collect();
        packages.retain(|package| !(params.production && package.is_dev));
        packages.sort_by(|one, other| {
            (one.ecosystem, &one.name, &one.version).cmp(&(
                other.ecosystem,
                &other.name,
                &other.version,
            ))
        });
        packages.dedup_by(|one, other| {
            (one.ecosystem, &one.name, &one.version)
                == (other.ecosystem, &other.name, &other.version)
        });
        let root = context.snapshot.roots().first();
        let name = root.and_then(|root| root.path().file_name()).unwrap_or_default();
        let name = name.to_string_lossy();
        let (time, version) = (Timestamp::now(), env!("CARGO_PKG_VERSION"));
        let time = time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let document = match params.format {
            Format::CycloneDx => cyclonedx(&name, &packages, &time, version),
            Format::Spdx => {
                let all = serde_json::to_vec(&packages).unwrap_or_default();
                let hash = ContentHash::digest(&all).to_string();
                let namespace = format!("https://spdx.org/spdxdocs/tandem-{hash}");
                spdx(&name, &packages, &time, version, &namespace)
            }
        };
        let mut output = Output {
            document: None,
            packages: packages.len(),
            lock_files: locks.files.iter().map(|lock| lock.path.display_path()).collect(),
            skipped: locks.skipped,
            saved: None,
        };
        match &params.save_to {
            Some(path) => {
                let path = storage_path(context, tool, path, params.overwrite)?;
                let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
                text.push('\n');
                output.saved =
                    Some(store_bytes(context, tool, &path, text.into_bytes(), params.overwrite)?);
            }
            None => {
                output.document = match document {
                    Value::Object(document) => Some(document),
                    _ => None,
                };
            }
        }
        Ok(output)
    }
}
