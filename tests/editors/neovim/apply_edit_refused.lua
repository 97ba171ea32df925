-- A patch that does not match changes nothing, and the error names it.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  local saved = "a = 1\nb = 2\nb = 2\n"
  scenario.write("main.py", saved)
  local bufnr, client = scenario.open("main.py")
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { "# not saved" })
  local dirty = scenario.text(bufnr)
  local tick = vim.api.nvim_buf_get_changedtick(bufnr)

  local function refused(code, patches)
    local arguments = { path = "main.py", patches = patches }
    local result, trouble = scenario.try_call(client, bufnr, "apply_edit", arguments)
    assert(trouble, "refused, and not " .. vim.inspect(result))
    scenario.equal(trouble.data.code, code, "the code of " .. vim.inspect(trouble))
    scenario.equal(trouble.code, -32803, "the protocol's code")
    scenario.equal(scenario.text(bufnr), dirty, "the buffer is as it was")
    scenario.equal(vim.api.nvim_buf_get_changedtick(bufnr), tick, "nobody touched the buffer")
    return trouble.data
  end

  -- The first patch would match: all or nothing.
  local data = refused("E_NO_MATCH", {
    { old_text = "a = 1", new_text = "a = 10" },
    { old_text = "there is no such text here", new_text = "x" },
    { old_text = "nor is there this", new_text = "y" },
  })
  scenario.equal(#data.details.failures, 2, "every failing patch is told")
  refused("E_AMBIGUOUS", { { old_text = "b = 2", new_text = "b = 3" } })
  scenario.equal(scenario.on_disk("main.py"), saved, "the disk is as it was")

  local _, trouble = scenario.try_call(client, bufnr, "apply_edit", {
    path = "../outside.py",
    old_text = "a",
    new_text = "b",
  })
  scenario.equal(trouble.data.code, "E_PATH_FORBIDDEN", "nothing outside is written")
  local _, unknown = scenario.try_call(client, bufnr, "no_such_tool", {})
  scenario.equal(unknown.code, -32601, "an unknown tool")
  local _, wrong = scenario.try_call(client, bufnr, "read_file", { path = 1 })
  scenario.equal(wrong.code, -32602, "wrong parameters")
  scenario.in_step(client, bufnr, "main.py")
end)
