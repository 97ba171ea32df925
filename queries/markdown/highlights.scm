(atx_heading (inline) @markup.heading)
(setext_heading (paragraph (inline) @markup.heading))
[
  (atx_h1_marker) (atx_h2_marker) (atx_h3_marker) (atx_h4_marker) (atx_h5_marker) (atx_h6_marker)
  (setext_h1_underline) (setext_h2_underline)
] @markup.heading

[(code_fence_content) (indented_code_block)] @markup.raw
(fenced_code_block_delimiter) @punctuation
(info_string) @label

[
  (list_marker_dot) (list_marker_minus) (list_marker_parenthesis) (list_marker_plus)
  (list_marker_star) (task_list_marker_checked) (task_list_marker_unchecked)
] @markup.list
(block_quote_marker) @markup.quote
(block_quote (paragraph (inline) @markup.quote))
(block_quote (block_continuation) @markup.quote)
(thematic_break) @punctuation

(pipe_table_header (pipe_table_cell) @markup.bold)
(pipe_table_delimiter_cell) @punctuation
(pipe_table_header "|" @punctuation)
(pipe_table_row "|" @punctuation)
(pipe_table_delimiter_row "|" @punctuation)

(link_label) @label
(link_destination) @markup.link
(link_title) @string
[(backslash_escape) (entity_reference) (numeric_character_reference)] @escape
((html_block) @comment (#match? @comment "^[ ]*<!--"))
