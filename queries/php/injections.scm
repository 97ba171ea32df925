; Text outside of PHP tags is the page.
((text) @injection.content
  (#set! injection.language "html")
  (#set! injection.combined))

; The heredoc's delimiter names its language: <<<SQL.
(heredoc
  identifier: (heredoc_start) @injection.language
  value: (heredoc_body (string_content) @injection.content)
  (#match? @injection.language "^(SQL|HTML|XML|JSON|YAML|YML|TOML|JS|JAVASCRIPT|CSS|SCSS|PHP|BASH|SH|GRAPHQL|GQL|MARKDOWN|MD)$"))
(nowdoc
  identifier: (heredoc_start) @injection.language
  value: (nowdoc_body) @injection.content
  (#match? @injection.language "^(SQL|HTML|XML|JSON|YAML|YML|TOML|JS|JAVASCRIPT|CSS|SCSS|PHP|BASH|SH|GRAPHQL|GQL|MARKDOWN|MD)$")
  (#set! injection.include-children))

; Database statements.
(member_call_expression
  name: (name) @_call
  arguments: (arguments . (argument [
    (string (string_content) @injection.content)
    (encapsed_string (string_content) @injection.content)]))
  (#any-of? @_call "query" "exec" "execute" "prepare" "get_results" "get_var" "get_row" "get_col" "executeQuery" "executeStatement" "select" "statement" "fetchAll" "fetchOne")
  (#match? @injection.content "^[ \t\r\n]*(?i:select|insert|update|delete|create|alter|drop|with|truncate|replace)[ \t\r\n]")
  (#set! injection.language "sql"))
(function_call_expression
  function: (name) @_call
  arguments: (arguments (argument [
    (string (string_content) @injection.content)
    (encapsed_string (string_content) @injection.content)]))
  (#any-of? @_call "mysql_query" "mysqli_query" "pg_query" "pg_query_params" "sqlite_query")
  (#match? @injection.content "^[ \t\r\n]*(?i:select|insert|update|delete|create|alter|drop|with|truncate|replace)[ \t\r\n]")
  (#set! injection.language "sql"))

(shell_command_expression (string_content) @injection.content
  (#set! injection.language "bash"))
