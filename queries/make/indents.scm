[(recipe) (variable_assignment)] @indent
[(recipe_line) (define_directive) (raw_text)] @leave
(recipe (conditional) @leave)
