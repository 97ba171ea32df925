; Doc comments are Markdown.
((line_comment doc: (doc_comment) @injection.content)+
  (#set! injection.language "markdown"))
(block_comment doc: (doc_comment) @injection.content
  (#set! injection.language "markdown"))

; Macro arguments are usually Rust.
(macro_invocation (token_tree) @injection.content
  (#set! injection.language "rust")
  (#set! injection.include-children))
(macro_rule right: (token_tree) @injection.content
  (#set! injection.language "rust")
  (#set! injection.include-children))

; Regular expressions.
(call_expression
  function: (scoped_identifier path: (_) @_type name: (identifier) @_new)
  arguments: (arguments . [
    (string_literal (string_content) @injection.content)
    (raw_string_literal (string_content) @injection.content)])
  (#match? @_type "(^|::)(Regex|RegexBuilder|RegexSet)$")
  (#eq? @_new "new")
  (#set! injection.language "regex"))

; SQL: if the called function suggests it and the text starts like a statement.
(call_expression
  function: [
    (scoped_identifier name: (identifier) @_call)
    (field_expression field: (field_identifier) @_call)
    (generic_function function: (scoped_identifier name: (identifier) @_call))]
  arguments: (arguments . [
    (string_literal (string_content) @injection.content)
    (raw_string_literal (string_content) @injection.content)])
  (#match? @_call "^(query|query_as|query_scalar|query_row|query_map|execute|execute_batch|prepare|prepare_cached|sql|sql_query)$")
  (#match? @injection.content "^\\s*(?i:select|insert|update|delete|create|alter|drop|with|pragma|begin|merge|replace)\\s")
  (#set! injection.language "sql"))
((macro_invocation
  macro: [(identifier) @_call (scoped_identifier name: (identifier) @_call)]
  (token_tree [
    (string_literal (string_content) @injection.content)
    (raw_string_literal (string_content) @injection.content)]))
  (#match? @_call "^(query|query_as|query_scalar|sql)$")
  (#match? @injection.content "^\\s*(?i:select|insert|update|delete|create|alter|drop|with)\\s")
  (#set! injection.language "sql"))
