; inherits: c
; A raw string's delimiter names its language: R"sql(select 1)sql".
(raw_string_literal
  delimiter: (raw_string_delimiter) @injection.language
  (raw_string_content) @injection.content)
(call_expression
  function: (field_expression field: (field_identifier) @_call)
  arguments: (argument_list . [
    (string_literal (string_content) @injection.content)
    (raw_string_literal (raw_string_content) @injection.content)])
  (#any-of? @_call "exec" "execute" "prepare" "query" "executeQuery" "executeUpdate")
  (#match? @injection.content "^\\s*(?i:select|insert|update|delete|create|alter|drop|with)\\s")
  (#set! injection.language "sql"))
(declaration
  type: [
    (qualified_identifier name: (type_identifier) @_type)
    (type_identifier) @_type]
  declarator: (init_declarator value: [
    (argument_list . [
      (string_literal (string_content) @injection.content)
      (raw_string_literal (raw_string_content) @injection.content)])
    (initializer_list . [
      (string_literal (string_content) @injection.content)
      (raw_string_literal (raw_string_content) @injection.content)])])
  (#any-of? @_type "regex" "wregex")
  (#set! injection.language "regex"))
