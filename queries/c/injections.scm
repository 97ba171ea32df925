; A macro's replacement text is code.
((preproc_arg) @injection.content (#set! injection.self))

; SQL: if the called function suggests it and the text starts like a statement.
(call_expression
  function: (identifier) @_call
  arguments: (argument_list (string_literal (string_content) @injection.content))
  (#match? @_call "^(sqlite3_(exec|prepare(_v2|_v3)?)|PQ(exec|execParams|prepare)|mysql_(real_)?query)$")
  (#match? @injection.content "^\\s*(?i:select|insert|update|delete|create|alter|drop|with|pragma|begin)\\s")
  (#set! injection.language "sql"))
