[(element (end_tag)) (script_element) (style_element) (start_tag)] @fold
(comment) @fold.comment
