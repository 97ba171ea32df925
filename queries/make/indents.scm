(variable_assignment) @continue
; Some files indent the contents of conditionals. A tab must not be added: it could make a line part
; of a recipe.
((conditional) @level (#set! flat))
["else" "endif"] @outdent
((comment) . (comment) @beside)
[(rule) (recipe) (define_directive) (raw_text)] @leave
