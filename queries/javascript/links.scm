(import_statement source: (string) @link)
(export_statement source: (string) @link)
(call_expression
  function: [(identifier) (import)] @function
  arguments: (arguments . (string) @link)
  (#match? @function "^(require|import)$"))
