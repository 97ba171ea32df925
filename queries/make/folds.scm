[(rule) (define_directive) (conditional) (variable_assignment)] @fold
(comment) @fold.comment
(include_directive) @fold.imports
