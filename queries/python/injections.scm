; Regular expressions.
(call
  function: (attribute object: (identifier) @_module attribute: (identifier) @_call)
  arguments: (argument_list . [
    (string (string_content) @injection.content)
    (concatenated_string (string (string_content) @injection.content))])
  (#match? @_module "^(re|regex|_re)$")
  (#any-of? @_call "compile" "search" "match" "fullmatch" "split" "findall" "finditer" "sub" "subn")
  (#set! injection.language "regex")
  (#set! injection.include-children))

; SQL: if the called function suggests it and the text starts like a statement.
(call
  function: [(attribute attribute: (identifier) @_call) (identifier) @_call]
  arguments: (argument_list . (string (string_content) @injection.content))
  (#match? @_call "^(execute|executemany|executescript|fetch|fetchrow|fetchval|read_sql|read_sql_query|text|raw|sql|query|mogrify)$")
  (#match? @injection.content "^\\s*(?i:select|insert|update|delete|create|alter|drop|with|pragma|begin|merge|replace|grant|truncate)\\s")
  (#set! injection.language "sql")
  (#set! injection.include-children))
; A comment or variable name that names the language.
((string (string_content) @injection.content)
  (#match? @injection.content "^\\s*(--|/\\*)\\s*(?i:sql)\\b")
  (#set! injection.language "sql")
  (#set! injection.include-children))
(assignment
  left: (identifier) @_name
  right: (string (string_content) @injection.content)
  (#match? @_name "(^|_)(?i:sql|query)$")
  (#match? @injection.content "^\\s*(?i:select|insert|update|delete|create|alter|drop|with)\\s")
  (#set! injection.language "sql")
  (#set! injection.include-children))
