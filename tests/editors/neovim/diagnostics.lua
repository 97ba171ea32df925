-- A syntax error is shown while it is there, in a buffer that is never saved.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")

scenario.run(function()
  scenario.write("main.py", "def main():\n    return 1\n")
  local bufnr, client = scenario.open("main.py")
  scenario.equal(vim.diagnostic.get(bufnr), {}, "nothing is wrong at first")

  vim.api.nvim_buf_set_lines(bufnr, 2, 2, true, { "", "x = (1 +", "" })
  local found = scenario.wait("a diagnostic appears", function()
    local found = vim.diagnostic.get(bufnr)
    return #found > 0 and found
  end)
  for _, diagnostic in ipairs(found) do
    assert(diagnostic.lnum >= 2, "it stands where the mistake is: " .. vim.inspect(diagnostic))
    assert(diagnostic.message ~= "", "it says something")
    scenario.equal(diagnostic.severity, vim.diagnostic.severity.ERROR, "it is an error")
    scenario.equal(diagnostic.source, "tandem", "it says who found it")
  end

  vim.api.nvim_buf_set_lines(bufnr, 2, -1, true, {})
  scenario.wait("the diagnostic vanishes", function()
    return #vim.diagnostic.get(bufnr) == 0
  end)

  -- One that was there when the file was opened is shown as well.
  scenario.write("broken.py", "def broken(:\n    pass\n")
  local broken = scenario.open("broken.py")
  scenario.wait("the diagnostic of an opened file appears", function()
    return #vim.diagnostic.get(broken) > 0
  end)
  -- Closing the buffer removes it.
  local uri = vim.uri_from_bufnr(broken)
  local cleared = false
  client.handlers["textDocument/publishDiagnostics"] = function(_, result)
    cleared = cleared or (result.uri == uri and #result.diagnostics == 0)
  end
  vim.api.nvim_buf_delete(broken, { force = true })
  scenario.wait("the diagnostics of a closed file are cleared", function()
    return cleared
  end)
end)
