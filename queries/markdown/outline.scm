; A heading contains everything up to the next heading of the same or a higher level.
(atx_heading (atx_h1_marker) heading_content: (inline) @name (#set! outline.level 1)) @item.module
(atx_heading (atx_h2_marker) heading_content: (inline) @name (#set! outline.level 2)) @item.module
(atx_heading (atx_h3_marker) heading_content: (inline) @name (#set! outline.level 3)) @item.module
(atx_heading (atx_h4_marker) heading_content: (inline) @name (#set! outline.level 4)) @item.module
(atx_heading (atx_h5_marker) heading_content: (inline) @name (#set! outline.level 5)) @item.module
(atx_heading (atx_h6_marker) heading_content: (inline) @name (#set! outline.level 6)) @item.module
(setext_heading
  heading_content: (paragraph (inline) @name)
  (setext_h1_underline)
  (#set! outline.level 1)) @item.module
(setext_heading
  heading_content: (paragraph (inline) @name)
  (setext_h2_underline)
  (#set! outline.level 2)) @item.module
