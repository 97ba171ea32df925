[
  (function) (bind) (data_type) (newtype) (class) (instance) (exports) (import_list) (alternatives)
  (do) (local_binds) (list) (record) (quasiquote)
] @fold
[(comment) (haddock)] @fold.comment
(import) @fold.imports
