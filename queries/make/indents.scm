(variable_assignment) @continue
; What a condition holds stands deeper in some files; where a tab would make it part of a recipe, it
; had better not.
((conditional) @level (#set! flat))
["else" "endif"] @outdent
((comment) . (comment) @beside)
[(rule) (recipe) (define_directive) (raw_text)] @leave
