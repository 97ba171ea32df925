; Regular expressions.
(call_expression
  function: (selector_expression operand: (identifier) @_package field: (field_identifier) @_call)
  arguments: (argument_list . [
    (interpreted_string_literal (interpreted_string_literal_content) @injection.content)
    (raw_string_literal (raw_string_literal_content) @injection.content)])
  (#any-of? @_package "regexp" "regexp2")
  (#match? @_call "^((Must)?Compile(POSIX)?|Match(String|Reader)?)$")
  (#set! injection.language "regex"))

; SQL: if the called function suggests it and the text starts like a statement.
(call_expression
  function: (selector_expression field: (field_identifier) @_call)
  arguments: (argument_list [
    (interpreted_string_literal (interpreted_string_literal_content) @injection.content)
    (raw_string_literal (raw_string_literal_content) @injection.content)])
  (#match? @_call "^(Named|Must)?(Exec|Query|QueryRow|Queryx|QueryRowx|Prepare|Preparex|Select|Get|Raw)(Context)?$")
  (#match? @injection.content "^\\s*(?i:select|insert|update|delete|create|alter|drop|with|pragma|begin|merge|replace)\\s")
  (#set! injection.language "sql"))
; A comment that names the language.
([(raw_string_literal (raw_string_literal_content) @injection.content)
  (interpreted_string_literal (interpreted_string_literal_content) @injection.content)]
  (#match? @injection.content "^\\s*(--|/\\*)\\s*(?i:sql)\\b")
  (#set! injection.language "sql"))

