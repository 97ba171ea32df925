[(block) (keyframe_block_list)] @fold
(comment) @fold.comment
(import_statement) @fold.imports
