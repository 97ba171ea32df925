//! Configurations of every client.

/// A client, and what its configuration looks like before and after.
pub(super) struct Sample {
    pub(super) client: &'static str,
    /// Below the home folder; `XDG_CONFIG_HOME` is `config`.
    pub(super) file: &'static str,
    /// A configuration with comments and other servers, as far as the format has them.
    pub(super) before: &'static str,
    /// `PROGRAM` stands for the program. Empty: longer than is worth repeating.
    pub(super) after: &'static str,
    pub(super) unparsable: &'static str,
    pub(super) unparsable_line: usize,
}

pub(super) const SAMPLES: &[Sample] = &[
    Sample {
        client: "claude-code",
        file: ".claude.json",
        before: r#"{
  "userID": "1",
  "mcpServers": {
    "other": {
      "command": "x"
    }
  },
  "projects": {}
}"#,
        after: r#"{
  "userID": "1",
  "mcpServers": {
    "other": {
      "command": "x"
    },
    "tandem": {
      "type": "stdio",
      "command": "PROGRAM",
      "args": ["mcp"]
    }
  },
  "projects": {}
}"#,
        unparsable: "{\n  \"a\": 1\n  \"b\": 2\n}\n",
        unparsable_line: 2,
    },
    Sample {
        client: "claude-code-lsp",
        file: ".claude/skills/tandem/.claude-plugin/plugin.json",
        before: "{ \"name\": \"tandem\", \"lspServers\": { \"a\": { \"command\": \"b\" } } }\n",
        after: "",
        unparsable: "{\n",
        unparsable_line: 2,
    },
    Sample {
        client: "codex",
        file: ".codex/config.toml",
        before: r#"# mine
model = "x"   # spaced

[mcp_servers.other]
command = "x"
args = [
  "a", # one
]
# the end
"#,
        after: r#"# mine
model = "x"   # spaced

[mcp_servers.other]
command = "x"
args = [
  "a", # one
]
# the end

[mcp_servers.tandem]
command = "PROGRAM"
args = ["mcp"]
env_vars = ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]
"#,
        unparsable: "a = 1\nb = \n",
        unparsable_line: 2,
    },
    Sample {
        client: "gemini-cli",
        file: ".gemini/settings.json",
        before: "{\r\n    // CRLF, four spaces\r\n    \"ui\": { \"theme\": \"x\" }\r\n}\r\n",
        after: "{\r\n    // CRLF, four spaces\r\n    \"ui\": { \"theme\": \"x\" },\r\n    \"mcpServers\": \
                {\r\n        \"tandem\": {\r\n            \"command\": \"PROGRAM\",\r\n            \
                \"args\": [\"mcp\"]\r\n        }\r\n    }\r\n}\r\n",
        unparsable: "{\n  \"a\": nul\n}\n",
        unparsable_line: 2,
    },
    Sample {
        client: "opencode",
        file: "config/opencode/opencode.json",
        before: r#"{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    // none yet
  }, // trailing
}
"#,
        after: r#"{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    // none yet
    "tandem": {
      "type": "local",
      "command": ["PROGRAM", "mcp"],
      "enabled": true
    }
  }, // trailing
}
"#,
        unparsable: "{",
        unparsable_line: 1,
    },
    Sample {
        client: "cursor",
        file: ".cursor/mcp.json",
        before: "{\"mcpServers\": {}}",
        after: r#"{"mcpServers": {
    "tandem": {
      "type": "stdio",
      "command": "PROGRAM",
      "args": ["mcp", "--workspace", "${workspaceFolder}"]
    }
  }}"#,
        unparsable: "{} {}",
        unparsable_line: 1,
    },
    Sample {
        client: "vscode",
        file: "config/Code/User/mcp.json",
        before: "{\n\t\"servers\": {\n\t\t\"a\": { \"url\": \"https://example.com\" } /* b */\n\t},\n\t\"inputs\": []\n}",
        after: "{\n\t\"servers\": {\n\t\t\"a\": { \"url\": \"https://example.com\" }, /* b */\n\t\t\"tandem\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"PROGRAM\",\n\t\t\t\"args\": [\"mcp\", \"--workspace\", \"${workspaceFolder}\"]\n\t\t}\n\t},\n\t\"inputs\": []\n}",
        unparsable: "{\n\n'a': 1 }",
        unparsable_line: 3,
    },
    Sample {
        client: "zed",
        file: "config/zed/settings.json",
        before: r#"// Zed settings
//
{
  "theme": "One Dark",
  "context_servers": {
    "other": { "command": "x", "env": { "KEY": "secret" } }, // note
  },
}
"#,
        after: r#"// Zed settings
//
{
  "theme": "One Dark",
  "context_servers": {
    "other": { "command": "x", "env": { "KEY": "secret" } }, // note
    "tandem": {
      "command": "PROGRAM",
      "args": ["mcp"],
    },
  },
}
"#,
        unparsable: "// a\n{ \"a\": }\n",
        unparsable_line: 2,
    },
    Sample {
        client: "goose",
        file: "config/goose/config.yaml",
        before: r#"# goose
GOOSE_MODE: auto
extensions:
  # built in
  developer:
    enabled: true
    name: "developer"
# after
GOOSE_MODEL: x
"#,
        after: r#"# goose
GOOSE_MODE: auto
extensions:
  tandem:
    enabled: true
    type: stdio
    name: tandem
    description: "Files, symbols, edits, git and debugging of the project"
    cmd: PROGRAM
    args: ["mcp"]
    timeout: 300
  # built in
  developer:
    enabled: true
    name: "developer"
# after
GOOSE_MODEL: x
"#,
        unparsable: "a: 1\nb: [\n",
        unparsable_line: 3,
    },
];
