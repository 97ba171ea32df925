; A function body in another language.
(create_function
  (function_language (identifier) @injection.language)
  (function_body (literal) @injection.content)
  (#match? @injection.language "^(?i:python|plpython3u|plv8|javascript|lua|bash)$"))
