[
  (do_block) (else_block) (rescue_block) (catch_block) (after_block) (anonymous_function) (map)
  (list) (tuple) (string) (sigil) (charlist)
] @fold
(comment) @fold.comment
(call
  target: (identifier) @_import
  (#any-of? @_import "alias" "import" "require" "use")) @fold.imports
