(regex (string_content) @injection.content
  (#set! injection.language "regex"))
(call
  receiver: (constant) @_regexp
  method: (identifier) @_new
  arguments: (argument_list . (string (string_content) @injection.content))
  (#eq? @_regexp "Regexp")
  (#eq? @_new "new")
  (#set! injection.language "regex"))

; The heredoc's delimiter names its language: <<~SQL.
((heredoc_body
  (heredoc_content) @injection.content
  (heredoc_end) @injection.language)
  (#match? @injection.language "^(SQL|HTML|XML|JSON|YAML|YML|TOML|JS|JAVASCRIPT|CSS|SCSS|RUBY|RB|BASH|SH|SHELL|GRAPHQL|GQL|PYTHON|MARKDOWN|MD|DOCKERFILE|LUA)$"))

; Database statements.
(call
  method: (identifier) @_call
  arguments: (argument_list . (string (string_content) @injection.content))
  (#any-of? @_call "execute" "exec_query" "exec" "query" "find_by_sql" "select_all" "select_value" "select_values" "sql" "async_exec" "prepare" "run")
  (#match? @injection.content "^[ \t\r\n]*(?i:select|insert|update|delete|create|alter|drop|with|truncate)[ \t\r\n]")
  (#set! injection.language "sql"))

(subshell (string_content) @injection.content
  (#set! injection.language "bash"))
