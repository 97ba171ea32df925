//! Manifests: a text, a file or the files of a folder, as objects.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tools::{Code, Context, Effect, ToolError};
use workspace::{FileKind, FilePath, Folder};

use crate::limits::{MAX_MANIFEST_BYTES, MAX_OBJECTS};
use crate::object::rank;
use crate::yaml::documents;

/// Where manifests are.
pub(crate) enum Source {
    Text(String),
    File(FilePath),
    Folder(FilePath),
}

/// An object to be applied.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Manifest {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    /// The namespace that it names.
    pub(crate) namespace: Option<String>,
    pub(crate) body: Value,
    /// `deploy.yaml:12`.
    pub(crate) place: String,
}

impl Source {
    /// The content, or the path of a file or folder.
    pub(crate) fn find(
        context: &Context<'_>,
        tool: &str,
        written: &str,
    ) -> Result<Self, ToolError> {
        let text = written.trim();
        if text.is_empty() {
            return Err(ToolError::new(
                Code::InvalidParams,
                format!("{tool}: `manifest` is empty"),
            ));
        }
        if text.contains('\n') || text.starts_with('{') || text.contains(": ") {
            return Ok(Self::Text(written.to_owned()));
        }
        let path = context.snapshot.locate(text)?;
        Ok(match context.snapshot.entry(&path)?.kind {
            FileKind::Directory => Self::Folder(path),
            _ => Self::File(path),
        })
    }

    /// The effects of reading it.
    pub(crate) fn effects(&self) -> Vec<Effect> {
        match self {
            Self::Text(_) => Vec::new(),
            Self::File(path) => vec![Effect::read(path)],
            Self::Folder(path) => vec![Effect::read_tree(path)],
        }
    }

    /// The objects, in the order in which they are applied.
    pub(crate) fn objects(
        &self,
        context: &Context<'_>,
        tool: &str,
    ) -> Result<Vec<Manifest>, ToolError> {
        let mut reader = ManifestReader { tool, objects: Vec::new(), bytes: 0 };
        match self {
            Self::Text(text) => reader.add("line ", text)?,
            Self::File(path) => reader.add_file(context, path)?,
            Self::Folder(path) => {
                let folder = Folder::open(path)?;
                let is_manifest =
                    |name: &str| [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end));
                for entry in folder.entries()? {
                    let file = folder.entry(&entry.name);
                    if entry.kind == FileKind::File
                        && is_manifest(&entry.name.to_string_lossy())
                        && context.may_read(&file)
                    {
                        reader.add_file(context, &file)?;
                    }
                }
            }
        }
        reader.finish()
    }
}

struct ManifestReader<'r> {
    tool: &'r str,
    objects: Vec<Manifest>,
    bytes: usize,
}

impl ManifestReader<'_> {
    fn add_file(&mut self, context: &Context<'_>, path: &FilePath) -> Result<(), ToolError> {
        context.check_interrupt(self.tool)?;
        let text = context.snapshot.read(path)?.text.to_string();
        self.add(&format!("{}:", path.display_path()), &text)
    }

    fn add(&mut self, place: &str, text: &str) -> Result<(), ToolError> {
        self.bytes += text.len();
        if self.bytes > MAX_MANIFEST_BYTES {
            return Err(self.too_large(&format!("more than {MAX_MANIFEST_BYTES} bytes")));
        }
        let documents = documents(text)
            .map_err(|error| self.invalid(&format!("{place}{}: {}", error.line, error.message)))?;
        for (line, document) in documents {
            self.add_object(&format!("{place}{line}"), document, 0)?;
        }
        Ok(())
    }

    fn add_object(&mut self, place: &str, mut body: Value, depth: usize) -> Result<(), ToolError> {
        let text =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let missing = |what: &str| self.invalid(&format!("{place}: there is no `{what}`"));
        let kind = text(&body["kind"]).ok_or_else(|| missing("kind"))?;
        let api_version = text(&body["apiVersion"]).ok_or_else(|| missing("apiVersion"))?;
        if kind.ends_with("List") && body["items"].is_array() && depth == 0 {
            let items = body.get_mut("items").and_then(Value::as_array_mut).map(std::mem::take);
            return items
                .into_iter()
                .flatten()
                .try_for_each(|item| self.add_object(place, item, 1));
        }
        let Some(name) = text(&body["metadata"]["name"]) else {
            if body["metadata"]["generateName"].is_string() {
                return Err(self
                    .invalid(&format!("{place}: `generateName` makes another object each time"))
                    .hint("give it a `name`"));
            }
            return Err(missing("metadata.name"));
        };
        if self.objects.len() >= MAX_OBJECTS {
            return Err(self.too_large(&format!("more than {MAX_OBJECTS} objects")));
        }
        let namespace = text(&body["metadata"]["namespace"]);
        // What only the server writes; an exported object has it.
        if let Some(fields) = body.as_object_mut() {
            fields.remove("status");
        }
        if let Some(metadata) = body["metadata"].as_object_mut() {
            for own in [
                "managedFields",
                "creationTimestamp",
                "resourceVersion",
                "uid",
                "generation",
                "selfLink",
            ] {
                metadata.remove(own);
            }
        }
        self.objects.push(Manifest {
            api_version,
            kind,
            name,
            namespace,
            body,
            place: place.to_owned(),
        });
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Manifest>, ToolError> {
        if self.objects.is_empty() {
            return Err(self.invalid("`manifest` has no object"));
        }
        let mut seen = BTreeSet::new();
        for one in &self.objects {
            let group = one.api_version.rsplit_once('/').map_or("", |(group, _)| group);
            if !seen.insert((group, &one.kind, &one.namespace, &one.name)) {
                return Err(self
                    .invalid(&format!("{}: {}/{} is there twice", one.place, one.kind, one.name)));
            }
        }
        self.objects.sort_by_key(|one| rank(&one.kind));
        Ok(self.objects)
    }

    fn invalid(&self, why: &str) -> ToolError {
        ToolError::new(Code::InvalidParams, format!("{}: {why}", self.tool))
    }

    fn too_large(&self, why: &str) -> ToolError {
        ToolError::new(Code::TooLarge, format!("{}: {why} in one call", self.tool))
            .hint("apply them in parts")
    }
}

impl Manifest {
    /// The kind that a definition of one adds: group and version, kind, plural, whether it is namespaced.
    pub(crate) fn defines(&self, api_version: &str, kind: &str) -> Option<(String, bool)> {
        let spec = &self.body["spec"];
        let group = api_version.split_once('/')?.0;
        let is_it = self.kind == "CustomResourceDefinition"
            && spec["group"] == group
            && spec["names"]["kind"] == kind;
        is_it.then(|| {
            Some((spec["names"]["plural"].as_str()?.to_owned(), spec["scope"] == "Namespaced"))
        })?
    }

    /// The body for `namespace`, which holds only for `resource_version` if there is one.
    pub(crate) fn body_for(
        &self,
        namespace: Option<&str>,
        resource_version: Option<&str>,
    ) -> Value {
        let mut body = self.body.clone();
        let Some(metadata) = body["metadata"].as_object_mut() else { return body };
        match namespace {
            Some(namespace) => metadata.insert("namespace".to_owned(), json!(namespace)),
            None => metadata.remove("namespace"),
        };
        if let Some(version) = resource_version {
            metadata.insert("resourceVersion".to_owned(), json!(version));
        }
        body
    }
}
