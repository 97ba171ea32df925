(element (start_tag (tag_name) @open) (end_tag (tag_name) @close))
(script_element (start_tag (tag_name) @open) (end_tag (tag_name) @close))
(style_element (start_tag (tag_name) @open) (end_tag (tag_name) @close))
