-- read_file returns the unsaved text of an open buffer.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  scenario.write("main.rs", "fn main() {}\n")
  scenario.write("other.rs", "fn other() {}\n")
  local bufnr, client = scenario.open("main.rs")
  scenario.in_step(client, bufnr, "main.rs")

  vim.api.nvim_buf_set_lines(bufnr, 1, 1, true, { "fn unsaved() {}" })
  local result = scenario.call(client, bufnr, "read_file", { path = "main.rs" })
  scenario.equal(result.content, "fn main() {}\nfn unsaved() {}\n", "the unsaved text")
  scenario.equal(result.size, #result.content, "its size in bytes")
  scenario.equal(result.language, "rust", "its language")
  assert(type(result.hash) == "string" and result.hash ~= "", "its hash")
  scenario.equal(scenario.on_disk("main.rs"), "fn main() {}\n", "the disk is as it was")

  local absolute = scenario.read(client, bufnr, scenario.root .. "/main.rs")
  scenario.equal(absolute, result.content, "by its absolute path")
  local uri = scenario.read(client, bufnr, vim.uri_from_bufnr(bufnr))
  scenario.equal(uri, result.content, "by its URI")
  scenario.equal(
    scenario.read(client, bufnr, "other.rs"),
    "fn other() {}\n",
    "a file that is not open is read from disk"
  )

  -- After closing without saving, the text on disk counts again.
  vim.api.nvim_buf_delete(bufnr, { force = true })
  local other, same = scenario.open("other.rs")
  scenario.equal(scenario.read(same, other, "main.rs"), "fn main() {}\n", "after closing")

  local _, trouble = scenario.try_call(same, other, "read_file", { path = "missing.rs" })
  scenario.equal(trouble.data.code, "E_FILE_NOT_FOUND", "a file that is not there")
end)
