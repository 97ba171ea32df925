[
  (require_expression (string (string_content) @link))
  (require_once_expression (string (string_content) @link))
  (include_expression (string (string_content) @link))
  (include_once_expression (string (string_content) @link))
  (require_expression (parenthesized_expression (string (string_content) @link)))
  (require_once_expression (parenthesized_expression (string (string_content) @link)))
  (include_expression (parenthesized_expression (string (string_content) @link)))
  (include_once_expression (parenthesized_expression (string (string_content) @link)))
]
; A path relative to the file's folder.
(binary_expression
  left: (name) @_dir
  right: (string (string_content) @link)
  (#eq? @_dir "__DIR__"))
