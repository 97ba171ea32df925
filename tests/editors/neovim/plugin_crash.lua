-- A killed server restarts with the unsaved text; one that keeps dying is not restarted.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.txt", "one\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local bufnr = plugin.open("a.txt")
  -- There is no answer.
  vim.ui.select = function() end
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, { "unsaved" })
  local function kill()
    local client = plugin.attached(bufnr)
    vim.uv.kill(plugin.process(client), "sigkill")
    scenario.wait("the client is gone", function()
      return not vim.lsp.get_client_by_id(client.id)
    end)
    return client.id
  end
  for _ = 1, 5 do
    local old = kill()
    local client = plugin.attached(bufnr)
    assert(client.id ~= old, "another server")
    scenario.equal(scenario.read(client, bufnr, "a.txt"), "unsaved\n", "it has the unsaved text")
    scenario.equal(scenario.text(bufnr), "unsaved\n", "nothing is lost")
  end
  -- A call that is under way is answered all the same.
  local call = plugin.start("run_command", { command = "sleep 60" })
  scenario.wait("leave is asked for", function()
    return #plugin.floats() > 0
  end)
  kill()
  local _, error = plugin.over(call)
  scenario.equal(error.code, "E_UNAVAILABLE", "the call says why")
  scenario.equal(plugin.floats(), {}, "its question has gone with it")
  plugin.wait_said("the server crashed 6 times")
  vim.wait(500)
  scenario.equal(vim.lsp.get_clients({ name = "tandem" }), {}, "it is left alone")
  scenario.equal(scenario.text(bufnr), "unsaved\n", "nothing is lost")
  vim.cmd("Tandem restart")
  local client = plugin.attached(bufnr)
  scenario.equal(scenario.read(client, bufnr, "a.txt"), "unsaved\n", "it works again")
  -- A server that is told to end is not started again.
  vim.cmd("Tandem stop")
  scenario.wait("it has ended", function()
    return #vim.lsp.get_clients({ name = "tandem" }) == 0
  end)
  vim.wait(500)
  scenario.equal(vim.lsp.get_clients({ name = "tandem" }), {}, "it stays so")
end)
