-- A restarted server gets the unsaved buffers again.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  scenario.write("main.py", "def main():\n    return 1\n")
  scenario.write("other.py", "x = 1\n")
  local bufnr, client = scenario.open("main.py")
  local other = scenario.open("other.py")
  vim.api.nvim_buf_set_lines(bufnr, 0, 0, true, { "# not saved" })
  vim.api.nvim_buf_set_lines(other, 0, 0, true, { "# not saved either" })
  scenario.in_step(client, bufnr, "main.py")

  -- What nvim-lspconfig's :LspRestart does: stop, wait for the end, start for each buffer.
  for round = 1, 3 do
    local old = client.id
    client:stop()
    scenario.wait("the old server has ended", function()
      return client:is_stopped() and vim.lsp.get_client_by_id(old) == nil
    end)
    client = scenario.attach(bufnr)
    assert(client.id ~= old, "a new server in round " .. round)
    scenario.equal(scenario.attach(other).id, client.id, "one server for both")
    scenario.in_step(client, bufnr, "main.py")
    scenario.in_step(client, other, "other.py")
    scenario.call(client, bufnr, "apply_edit", {
      path = "main.py",
      old_text = "    return " .. round,
      new_text = "    return " .. round + 1,
    })
    scenario.in_step(client, bufnr, "main.py")
  end

  -- A killed server leaves nothing that disturbs the next one.
  client:stop(true)
  scenario.wait("the killed server has ended", function()
    return vim.lsp.get_client_by_id(client.id) == nil
  end)
  client = scenario.attach(bufnr)
  scenario.in_step(client, bufnr, "main.py")
  scenario.equal(scenario.on_disk("main.py"), "def main():\n    return 1\n", "nothing was saved")
end)
