[(block) (keyframe_block_list) (declaration) (arguments)] @indent
["}" ")" "]"] @outdent
(comment) @leave
