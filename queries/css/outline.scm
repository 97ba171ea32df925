(rule_set (selectors) @name) @item.class
(media_statement "@media" @name (_)+ @name . (block)) @item.namespace
(supports_statement "@supports" @name (_)+ @name . (block)) @item.namespace
(keyframes_statement (keyframes_name) @name) @item.function
(keyframe_block . (_) @name) @item.field
(at_rule (at_keyword) @name (block)) @item.namespace
; Custom properties.
((declaration (property_name) @name) @item.variable (#match? @name "^--"))
