; Schemas, and what the files of common tools say of other files.
(pair
  key: (string (string_content) @_key)
  value: (string) @link
  (#any-of? @_key
    "$ref" "$schema" "extends" "main" "module" "types" "typings" "browser" "path"))
