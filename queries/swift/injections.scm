(call_expression
  (simple_identifier) @_regex
  (call_suffix (value_arguments . (value_argument value: (line_string_literal (line_str_text) @injection.content))))
  (#any-of? @_regex "Regex" "NSRegularExpression")
  (#set! injection.language "regex"))

; Database statements.
(call_expression
  (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @_call))
  (call_suffix (value_arguments (value_argument value: [
    (line_string_literal (line_str_text) @injection.content)
    (multi_line_string_literal (multi_line_str_text) @injection.content)])))
  (#any-of? @_call "execute" "query" "prepare" "run" "raw")
  (#match? @injection.content "^[ \t\r\n]*(?i:select|insert|update|delete|create|alter|drop|with)[ \t\r\n]")
  (#set! injection.language "sql"))
