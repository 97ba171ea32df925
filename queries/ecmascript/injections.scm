; Regular expressions.
(regex (regex_pattern) @injection.content (#set! injection.language "regex"))
(new_expression
  constructor: (identifier) @_type
  arguments: (arguments . (string [(string_fragment) (escape_sequence)]+ @injection.content))
  (#eq? @_type "RegExp")
  (#set! injection.language "regex"))

; Tagged templates: the tag names the language.
(call_expression
  function: [
    (identifier) @injection.language
    (member_expression property: (property_identifier) @injection.language)]
  arguments: (template_string (string_fragment) @injection.content)
  (#any-of? @injection.language
    "css" "html" "svg" "xml" "json" "sql" "gql" "graphql" "markdown" "md" "yaml" "toml" "sh" "bash"))
; A comment before the template names the language.
((comment) @injection.language
  . (template_string (string_fragment) @injection.content)
  (#match? @injection.language "^/\\*\\s*(css|html|sql|gql|graphql|markdown|json|yaml|bash)\\s*\\*/$"))

; styled-components and emotion.
(call_expression
  function: [
    (member_expression object: (identifier) @_styled)
    (call_expression function: (identifier) @_styled)
    (call_expression function: (member_expression object: (identifier) @_styled))]
  arguments: (template_string (string_fragment) @injection.content)
  (#eq? @_styled "styled")
  (#set! injection.language "css"))
(call_expression
  function: (identifier) @_call
  arguments: (template_string (string_fragment) @injection.content)
  (#any-of? @_call "keyframes" "createGlobalStyle" "injectGlobal")
  (#set! injection.language "css"))

; SQL: if the called function suggests it and the text starts like a statement.
(call_expression
  function: (member_expression property: (property_identifier) @_call)
  arguments: (arguments . [
    (string (string_fragment) @injection.content)
    (template_string (string_fragment) @injection.content)])
  (#any-of? @_call "query" "execute" "exec" "prepare" "raw" "unsafe" "all" "get" "run")
  (#match? @injection.content "^\\s*(?i:select|insert|update|delete|create|alter|drop|with|pragma)\\s")
  (#set! injection.language "sql"))
