[
  (run_instruction) (env_instruction) (label_instruction) (copy_instruction) (add_instruction)
  (cmd_instruction) (entrypoint_instruction) (healthcheck_instruction) (arg_instruction)
  (volume_instruction) (expose_instruction)
] @indent
(heredoc_block) @leave
