(builtin_function
  (builtin_identifier) @_import
  (arguments . (string) @link)
  (#any-of? @_import "@import" "@embedFile" "@cInclude"))
