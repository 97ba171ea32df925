; A stage contains everything up to the next stage.
(from_instruction
  (image_spec) @detail
  as: (image_alias) @name
  (#set! outline.level 1)) @item.module
(from_instruction !as (image_spec) @name (#set! outline.level 1)) @item.module
(arg_instruction (arg_pair name: (_) @name default: (_)? @detail)) @item.variable
(env_instruction (env_pair name: (_) @name value: (_)? @detail)) @item.variable
