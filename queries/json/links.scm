; Schemas, and references to other files in the configuration of common tools.
(pair
  key: (string (string_content) @_key)
  value: (string) @link
  (#any-of? @_key
    "$ref" "$schema" "extends" "main" "module" "types" "typings" "browser" "path"))
