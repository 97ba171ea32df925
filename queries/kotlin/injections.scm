; Regex("a+"), "a+".toRegex()
(call_expression
  . (identifier) @_function
  (value_arguments . (value_argument (string_literal (string_content) @injection.content)))
  (#eq? @_function "Regex")
  (#set! injection.language "regex"))
(call_expression
  . (navigation_expression
    [
      (string_literal (string_content) @injection.content)
      (multiline_string_literal (string_content) @injection.content)
    ]
    (identifier) @_method)
  (#eq? @_method "toRegex")
  (#set! injection.language "regex"))

; Database queries.
(value_argument
  [
    (string_literal . (string_content) @injection.content)
    (multiline_string_literal . (string_content) @injection.content)
  ]
  (#match? @injection.content "^[ \n]*(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|WITH) ")
  (#set! injection.language "sql"))
