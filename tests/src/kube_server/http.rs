//! Requests and answers over HTTP.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use super::KUBE_TOKEN;
use super::store::{Kind, State, status};

type Query = BTreeMap<String, String>;

/// Serves a connection with TLS.
pub(super) fn serve_tls(
    mut stream: TcpStream,
    config: Arc<rustls::ServerConfig>,
    state: &Mutex<State>,
) -> io::Result<()> {
    let mut session = rustls::ServerConnection::new(config).map_err(io::Error::other)?;
    serve(&mut BufReader::new(rustls::Stream::new(&mut session, &mut stream)), state)
}

/// Serves a connection until the client ends it.
pub(super) fn serve<S: Read + Write>(
    stream: &mut BufReader<S>,
    state: &Mutex<State>,
) -> io::Result<()> {
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut headers = String::new();
        while !headers.ends_with("\r\n\r\n") && headers != "\r\n" {
            if stream.read_line(&mut headers)? == 0 {
                return Ok(());
            }
        }
        let headers = headers.to_ascii_lowercase();
        let length = headers.split("content-length:").nth(1).and_then(|rest| rest.lines().next());
        let mut body = vec![0; length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)];
        stream.read_exact(&mut body)?;
        let (code, content, kind) = {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            state.requests.push(format!("{method} {target}"));
            answer(&mut state, &method, &target, &headers, &body)
        };
        let length = content.len();
        let head = format!(
            "HTTP/1.1 {code} Answer\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        );
        let out = stream.get_mut();
        out.write_all(&[head.as_bytes(), content.as_bytes()].concat())?;
        out.flush()?;
    }
}

fn answer(
    state: &mut State,
    method: &str,
    target: &str,
    headers: &str,
    body: &[u8],
) -> (u16, String, &'static str) {
    let json = "application/json";
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query: Query = pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect();
    if let Some((code, content)) = state.fixed.get(path) {
        return (*code, content.clone(), json);
    }
    if !headers.contains(&format!("authorization: bearer {KUBE_TOKEN}")) {
        return (401, status(401, "Unauthorized", "Unauthorized").1.to_string(), json);
    }
    if let Some(log) = path.strip_suffix("/log").and_then(|pod| state.logs.get(pod)) {
        return (200, tail(log, &query), "text/plain");
    }
    let (code, content) = match method {
        "GET" => get(state, path, &query, headers),
        _ => change(state, method, path, &query, body),
    };
    (code, content.to_string(), json)
}

/// The lines of a log that a query wants.
fn tail(log: &str, query: &Query) -> String {
    let since = query.get("sinceTime").map_or("", String::as_str);
    let is_new = |line: &&str| line.split(' ').next().unwrap_or_default() >= since;
    let lines: Vec<&str> = log.split_inclusive('\n').filter(is_new).collect();
    let most = query.get("tailLines").and_then(|count| count.parse().ok()).unwrap_or(usize::MAX);
    lines[lines.len().saturating_sub(most)..].concat()
}

fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().replace('+', " ").into_bytes();
    for part in parts {
        let (hex, rest) = part.split_at_checked(2).unwrap_or(("", part));
        bytes.extend(u8::from_str_radix(hex, 16));
        bytes.extend_from_slice(rest.replace('+', " ").as_bytes());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn get(state: &State, path: &str, query: &Query, headers: &str) -> (u16, Value) {
    let kinds = state.kinds();
    match path {
        "/version" => {
            return (200, json!({ "major": "1", "minor": "35", "gitVersion": "v1.35.0" }));
        }
        "/api" => return (200, json!({ "kind": "APIVersions", "versions": ["v1"] })),
        "/apis" => return (200, groups(&kinds)),
        _ => {}
    }
    let group = path.strip_prefix("/apis/").or_else(|| path.strip_prefix("/api/"));
    let of_group = kinds.iter().filter(|kind| Some(kind.group.as_str()) == group);
    let resources: Vec<Value> = of_group
        .map(|kind| {
            let short: Vec<&String> = [&kind.short].into_iter().filter(|name| !name.is_empty()).collect();
            json!({ "name": kind.plural, "singularName": kind.name.to_ascii_lowercase(), "kind": kind.name,
                "namespaced": kind.is_namespaced, "verbs": ["get", "list", "patch", "delete"], "shortNames": short })
        })
        .collect();
    if !resources.is_empty() {
        let list =
            json!({ "kind": "APIResourceList", "groupVersion": group, "resources": resources });
        return (200, list);
    }
    if let Some(object) = state.objects.get(path) {
        return (200, object.clone());
    }
    match kinds.iter().find_map(|kind| Some((kind, kind.listed(path)?))) {
        Some((kind, namespace)) => (200, list(state, kind, namespace.as_deref(), query, headers)),
        None => {
            let name = path.rsplit('/').next().unwrap_or_default();
            status(404, "NotFound", &format!("\"{name}\" not found"))
        }
    }
}

fn groups(kinds: &[Kind]) -> Value {
    let mut names: Vec<&str> = kinds.iter().map(|kind| kind.group.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let groups: Vec<Value> = names
        .into_iter()
        .filter_map(|group| {
            let (name, version) = group.split_once('/')?;
            let version = json!({ "groupVersion": group, "version": version });
            Some(
                json!({ "name": name, "versions": [version.clone()], "preferredVersion": version }),
            )
        })
        .collect();
    json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups })
}

fn list(
    state: &State,
    kind: &Kind,
    namespace: Option<&str>,
    query: &Query,
    headers: &str,
) -> Value {
    let labels = query.get("labelSelector").map_or("", String::as_str);
    let labels: Vec<(&str, &str)> =
        labels.split(',').filter_map(|term| term.split_once('=')).collect();
    let involved =
        query.get("fieldSelector").and_then(|one| one.strip_prefix("involvedObject.name="));
    let is_wanted = |object: &&Value| {
        let metadata = &object["metadata"];
        object["kind"] == kind.name.as_str()
            && namespace
                .is_none_or(|name| metadata["namespace"].as_str().unwrap_or("default") == name)
            && labels.iter().all(|(name, value)| metadata["labels"][*name] == *value)
            && involved.is_none_or(|name| object["involvedObject"]["name"] == name)
    };
    let found: Vec<&Value> = state.objects.values().filter(is_wanted).collect();
    let number = |name: &str| query.get(name).and_then(|number| number.parse::<usize>().ok());
    let from = number("continue").unwrap_or(0);
    let page: Vec<&Value> =
        found.iter().copied().skip(from).take(number("limit").unwrap_or(usize::MAX)).collect();
    let next = from + page.len();
    let next = if next < found.len() { next.to_string() } else { String::new() };
    let metadata = json!({ "resourceVersion": state.version.to_string(), "continue": next });
    if !headers.contains("as=table") {
        return json!({ "kind": format!("{}List", kind.name), "apiVersion": kind.group, "metadata": metadata, "items": page });
    }
    let rows: Vec<Value> = page
        .iter()
        .map(|object| {
            let metadata = &object["metadata"];
            let part = json!({ "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata });
            json!({ "cells": [metadata["name"], "5d", object["status"]["phase"]], "object": part })
        })
        .collect();
    let column = |name: &str, priority: u32| json!({ "name": name, "type": "string", "format": "", "description": "", "priority": priority });
    let columns = [column("Name", 0), column("Age", 0), column("Phase", 1)];
    json!({ "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "columnDefinitions": columns, "rows": rows })
}

fn change(state: &mut State, method: &str, path: &str, query: &Query, body: &[u8]) -> (u16, Value) {
    let (folder, _) = path.rsplit_once('/').unwrap_or_default();
    let Some(kind) = state.kinds().into_iter().find(|kind| kind.listed(folder).is_some()) else {
        return status(404, "NotFound", "the server could not find the requested resource");
    };
    if method != "PATCH" {
        return status(405, "MethodNotAllowed", "the server does not allow this method");
    }
    match serde_json::from_slice::<Value>(body) {
        Ok(body) if body.is_object() => state.apply(path, &kind, query, body),
        _ => status(400, "BadRequest", "the body is no object"),
    }
}
