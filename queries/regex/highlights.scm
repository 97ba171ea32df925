(pattern_character) @string.regexp
["(" ")" "(?" "(?:" "(?<" "(?P<" "(?P=" "[" "]" "[:" ":]" "{" "}" "," ">"] @punctuation
(lookaround_assertion ["=" "!" "<"] @operator)
["|" "*" "+" "?" (lazy)] @operator
(one_or_more "+" @operator)
(class_range "-" @operator)
(character_class "^" @operator)
[(start_assertion) (end_assertion) (boundary_assertion) (non_boundary_assertion)] @keyword
(any_character) @constant.builtin
[(character_class_escape) (unicode_character_escape) (control_escape) (control_letter_escape)] @constant.builtin
[(identity_escape) (decimal_escape) (backreference_escape)] @escape
(group_name) @label
(posix_class_name) @type.builtin
[(unicode_property_name) (unicode_property_value)] @type
(decimal_digits) @number
(class_character) @string.regexp
(flags) @keyword
