; sql"select", json"{}", css"a {}"
(interpolated_string_expression
  interpolator: (identifier) @injection.language
  (interpolated_string) @injection.content
  (#any-of? @injection.language "sql" "json" "css" "html" "xml" "graphql"))
(interpolated_string_expression
  interpolator: (identifier) @_fragment
  (interpolated_string) @injection.content
  (#any-of? @_fragment "sqlu" "fr" "fr0")
  (#set! injection.language "sql"))
(call_expression
  function: (field_expression value: (string) @injection.content field: (identifier) @_r)
  (#eq? @_r "r")
  (#set! injection.language "regex"))
(field_expression
  value: (string) @injection.content
  field: (identifier) @_r
  (#eq? @_r "r")
  (#set! injection.language "regex"))
