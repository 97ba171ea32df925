[(block) (keyframe_block_list) (parenthesized_value) (arguments) (parameters)] @fold
[(comment) (js_comment)] @fold.comment
[(import_statement) (use_statement) (forward_statement)] @fold.imports
