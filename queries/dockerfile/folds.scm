[
  (run_instruction) (env_instruction) (label_instruction) (copy_instruction) (add_instruction)
  (cmd_instruction) (entrypoint_instruction) (healthcheck_instruction)
] @fold
(comment) @fold.comment
