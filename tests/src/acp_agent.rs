//! Agents that tests delegate tasks to.

use std::path::Path;

use serde_json::json;

/// Makes an agent known to a server that starts later; `outside` is the folder with its settings.
///
/// # Panics
/// If the file cannot be written.
pub fn define_agent(outside: &Path, name: &str, command: &[&str]) {
    let settings = outside.join("config/tandem");
    std::fs::create_dir_all(&settings).unwrap();
    let file = settings.join("agents.toml");
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    let table =
        format!("[{name}]\nprogram = \"sh\"\nabout = \"{name}\"\nacp = {}\n", json!(command));
    std::fs::write(&file, before + &table).unwrap();
}

/// Makes an agent known that reads three requests and answers each, without any runtime: it opens a
/// session, says that it is done, and ends its turn. In between it runs `script`.
///
/// # Panics
/// If its files cannot be written.
pub fn define_shell_agent(outside: &Path, name: &str, script: &str) {
    let text = format!(
        r#"read -r line
echo '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":1,"agentCapabilities":{{}}}}}}'
read -r line
echo '{{"jsonrpc":"2.0","id":2,"result":{{"sessionId":"s1"}}}}'
read -r line
{script}
echo '{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s1","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"It is done."}}}}}}}}'
echo '{{"jsonrpc":"2.0","id":3,"result":{{"stopReason":"end_turn"}}}}'
read -r line
"#
    );
    let file = outside.join(format!("{name}.sh"));
    std::fs::write(&file, text).unwrap();
    define_agent(outside, name, &["sh", file.to_str().unwrap()]);
}
