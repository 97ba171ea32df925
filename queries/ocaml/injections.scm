; {sql|select|sql}
((quoted_string
  "{" (quoted_string_content) @injection.content) @_whole
  (#match? @_whole "^[{]sql[|]")
  (#set! injection.language "sql"))
(application_expression
  function: (value_path) @_regexp
  argument: (string (string_content) @injection.content)
  (#any-of? @_regexp "Str.regexp" "Re.Pcre.regexp" "Re.Perl.re")
  (#set! injection.language "regex"))
