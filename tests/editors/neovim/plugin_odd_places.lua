-- A folder that cannot be written to, and one that vanishes: a clear message, nothing lost.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("sealed/a.txt", "one\n")
  scenario.write("b.txt", "one\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local tandem = require("tandem")
  local bufnr = plugin.open("b.txt")
  vim.uv.fs_chmod(scenario.root .. "/sealed", tonumber("555", 8))
  local result, error =
    tandem.call("apply_edit", { path = "sealed/a.txt", old_text = "one", new_text = "two" })
  vim.uv.fs_chmod(scenario.root .. "/sealed", tonumber("755", 8))
  -- root may write anywhere.
  if vim.uv.getuid() ~= 0 then
    assert(not result and error.code == "E_PERMISSION", vim.inspect(error))
    scenario.equal(scenario.on_disk("sealed/a.txt"), "one\n", "nothing changed")
  end

  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, { "unsaved" })
  assert(os.rename(scenario.root, scenario.root .. "-moved"))
  _, error = tandem.call("read_file", { path = "b.txt" })
  scenario.equal(error.code, "E_CONFLICT", "the workspace is gone")
  plugin.wait_said("was moved, replaced or deleted")
  scenario.equal(scenario.text(bufnr), "unsaved\n", "the buffer is whole")
  assert(os.rename(scenario.root .. "-moved", scenario.root))
  local again = scenario.wait("it works again once the folder is back", function()
    return tandem.call("read_file", { path = "b.txt" })
  end)
  scenario.equal(again.content, "unsaved\n", "with the unsaved text")
end)
