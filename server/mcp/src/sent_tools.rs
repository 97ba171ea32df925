//! The list of tools as it was last written to a client. Writing the schemas of many tools takes most of
//! the time of a list, and they never change.

use std::sync::Arc;

use rmcp::model::{ListToolsResult, RequestId, Tool};

/// The last list, and its JSON.
#[derive(Default)]
pub(crate) struct SentTools(Option<(ListToolsResult, Vec<u8>)>);

impl SentTools {
    /// The response with this list, as a line without its end.
    pub(crate) fn response(
        &mut self,
        id: &RequestId,
        list: &ListToolsResult,
    ) -> serde_json::Result<Vec<u8>> {
        let known = self.0.take().filter(|(sent, _)| is_same(sent, list));
        let known = match known {
            Some(known) => known,
            None => (list.clone(), serde_json::to_vec(list)?),
        };
        let mut line = Vec::with_capacity(known.1.len() + 64);
        line.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        serde_json::to_writer(&mut line, id)?;
        line.extend_from_slice(br#","result":"#);
        line.extend_from_slice(&known.1);
        line.push(b'}');
        self.0 = Some(known);
        Ok(line)
    }
}

/// Whether both have the same tools, not just equal ones, and are equal otherwise.
fn is_same(a: &ListToolsResult, b: &ListToolsResult) -> bool {
    let is_same_tool = |(a, b): (&Tool, &Tool)| {
        let same_output = match (&a.output_schema, &b.output_schema) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        // No other tool has this very schema.
        same_output && Arc::ptr_eq(&a.input_schema, &b.input_schema)
    };
    a.tools.len() == b.tools.len()
        && a.tools.iter().zip(&b.tools).all(is_same_tool)
        && (&a.next_cursor, &a.ttl_ms, &a.cache_scope)
            == (&b.next_cursor, &b.ttl_ms, &b.cache_scope)
        && (&a.result_type, &a.meta) == (&b.result_type, &b.meta)
}

#[cfg(test)]
mod tests {
    use rmcp::model::{JsonRpcMessage, ServerResult};
    use rmcp::service::{RoleServer, TxJsonRpcMessage};
    use serde_json::Value;

    use super::*;

    fn list(names: &[&str]) -> ListToolsResult {
        let tool = |name: &&str| Tool::new((*name).to_owned(), "does it", Arc::default());
        ListToolsResult::with_all_items(names.iter().map(tool).collect())
    }

    #[test]
    fn a_list_is_written_as_the_sdk_does() {
        let mut sent = SentTools::default();
        let first = list(&["a", "b"]);
        let mut others = vec![first.clone(), first.clone(), list(&["a", "c"]), list(&[])];
        let mut page = first.clone();
        page.next_cursor = Some("tools:100".to_owned());
        others.push(page);
        let mut plain = first.clone();
        plain.result_type = None;
        plain.tools[1].output_schema = Some(Arc::default());
        others.push(plain);
        others.push(first);
        for (number, list) in others.into_iter().enumerate() {
            let id = RequestId::String(format!("\"{number}").into());
            let ours = sent.response(&id, &list).unwrap();
            let result = ServerResult::ListToolsResult(list);
            let message: TxJsonRpcMessage<RoleServer> = JsonRpcMessage::response(result, id);
            let ours: Value = serde_json::from_slice(&ours).unwrap();
            assert_eq!(ours, serde_json::to_value(message).unwrap());
        }
    }
}
