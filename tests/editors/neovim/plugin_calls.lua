-- Calls of tools by other plugins: what is given up is answered, what fails is heard of, and every
-- buffer's text is the one that was typed last.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.txt", "one\n")
  scenario.write("b.txt", "one\n")
  scenario.write("two\nlines.txt", "one\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  plugin.open("b.txt")
  local other = vim.api.nvim_get_current_buf()
  local bufnr = plugin.open("a.txt")
  local tools = require("tandem").tools
  assert(tools.read_file({ path = "a.txt" }))

  -- Typed in another buffer than the one the call is made from.
  vim.api.nvim_buf_set_lines(other, 0, -1, true, { "typed just now" })
  local read = assert(tools.read_file({ path = "b.txt" }))
  scenario.equal(read.content, "typed just now\n", "every buffer's text is sent before a call")

  -- A call that is given up is over, at once and once.
  vim.ui.select = function() end
  local over = {}
  local cancel = tools.run_command({ command = "sleep 60" }, {
    on_done = function(error)
      table.insert(over, error and error.code or "done")
    end,
  })
  scenario.wait("its question is open", function()
    return #plugin.floats() > 0
  end)
  cancel()
  cancel()
  scenario.wait("the question is taken back", function()
    return #plugin.floats() == 0
  end)
  scenario.equal(over, { "E_CANCELLED" }, "the caller gets an error")
  assert(tools.read_file({ path = "a.txt" }))
  scenario.equal(over, { "E_CANCELLED" }, "once")

  -- An error in a plugin's coroutine is not lost.
  coroutine.wrap(function()
    tools.read_file({ path = "a.txt" })
    error("a plugin's own mistake")
  end)()
  local said = plugin.wait_said("a plugin's own mistake")
  assert(said:find("plugin_calls.lua", 1, true), "with where it is: " .. said)

  -- What tools do is told when it begins and when it ends.
  local told = {}
  vim.api.nvim_create_autocmd("User", {
    pattern = "TandemActivity",
    callback = function(event)
      table.insert(told, event.data.tool .. " " .. event.data.state)
    end,
  })
  vim.api.nvim_win_set_buf(0, bufnr)
  tools.read_file({ path = "no such file" })
  scenario.wait("the end is told", function()
    return vim.list_contains(told, "read_file failed")
  end)

  -- A name with a line break is listed all the same.
  assert(tools.read_file({ path = "two\nlines.txt" }))
  vim.cmd("Tandem activity")
  scenario.wait("the calls are listed", function()
    return vim.bo.filetype == "tandem-activity"
  end)
end)
