(import_statement (string_value) @link)
(use_statement (string_value) @link)
(forward_statement (string_value) @link)
(call_expression
  (function_name) @_url
  (arguments [(string_value) (plain_value)] @link)
  (#eq? @_url "url")
  (#not-match? @link "^[\"']?(data:|#)"))
