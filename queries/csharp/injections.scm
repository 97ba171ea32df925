; Database queries.
(argument
  [
    (string_literal (string_literal_content) @injection.content)
    (raw_string_literal (raw_string_content) @injection.content)
  ]
  (#match? @injection.content "^[ \n]*(SELECT .* FROM|INSERT INTO|UPDATE .* SET|DELETE FROM|CREATE TABLE|WITH .* AS) ")
  (#set! injection.language "sql"))

; Regular expressions.
(object_creation_expression
  type: (identifier) @_class
  arguments: (argument_list
    . (argument (string_literal (string_literal_content) @injection.content)))
  (#eq? @_class "Regex")
  (#set! injection.language "regex"))
(invocation_expression
  function: (member_access_expression expression: (identifier) @_class name: (identifier) @_method)
  arguments: (argument_list
    (argument (_))
    . (argument (string_literal (string_literal_content) @injection.content)))
  (#eq? @_class "Regex")
  (#any-of? @_method "IsMatch" "Match" "Matches" "Replace" "Split")
  (#set! injection.language "regex"))
