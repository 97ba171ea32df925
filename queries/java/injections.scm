; Regular expressions.
(method_invocation
  object: (identifier) @_type
  name: (identifier) @_call
  arguments: (argument_list . (string_literal [(string_fragment) (escape_sequence)]+ @injection.content))
  (#eq? @_type "Pattern")
  (#any-of? @_call "compile" "matches")
  (#set! injection.language "regex"))
(method_invocation
  name: (identifier) @_call
  arguments: (argument_list . (string_literal [(string_fragment) (escape_sequence)]+ @injection.content))
  (#any-of? @_call "replaceAll" "replaceFirst" "matches")
  (#set! injection.language "regex"))

; SQL: if the called method or annotation suggests it and the text starts like a statement.
(method_invocation
  name: (identifier) @_call
  arguments: (argument_list . (string_literal [(string_fragment) (multiline_string_fragment) (escape_sequence)]+ @injection.content))
  (#match? @_call "^(prepareStatement|prepareCall|execute|executeQuery|executeUpdate|executeLargeUpdate|addBatch|nativeSQL|createNativeQuery|createQuery|query|queryForObject|queryForList|queryForMap|update|sql)$")
  (#match? @injection.content "^\\s*(?i:select|insert|update|delete|create|alter|drop|with|merge|truncate)\\s")
  (#set! injection.language "sql"))
(annotation
  name: (identifier) @_name
  arguments: (annotation_argument_list [
    (string_literal [(string_fragment) (multiline_string_fragment) (escape_sequence)]+ @injection.content)
    (element_value_pair
      value: (string_literal [(string_fragment) (multiline_string_fragment) (escape_sequence)]+ @injection.content))])
  (#any-of? @_name "Query" "NativeQuery" "Select" "Insert" "Update" "Delete" "SqlQuery" "SqlUpdate")
  (#match? @injection.content "^\\s*(?i:select|insert|update|delete|with)\\s")
  (#set! injection.language "sql"))
