-- What is extracted is given a name at once: the cursor stands on it, and a rename is asked for.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local child = require("child")

scenario.run(function()
  scenario.write("a.py", "def size(a):\n    return f(1, a.size * 2)\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  local other = child.start("a.py")
  other:run([[
    vim.ui.input = function(opts, done)
      _G.asked = opts.default
      done("twice")
    end
    _G.extract = function()
      vim.lsp.buf.code_action({
        apply = true,
        filter = function(action) return action.title == "Extract into variable" end,
      })
    end
  ]])
  other:type("jf,w")
  other:type("v$hh<Cmd>lua _G.extract()<CR>")
  other:wait("a name is asked for", "return _G.asked")
  scenario.equal(other:run("return _G.asked"), "value", "in place of the one that was made up")
  local text = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n')"
  local wanted = "def size(a):\n    twice = a.size * 2\n    return f(1, twice)"
  scenario.wait("it has the name", function()
    return other:run(text) == wanted
  end)
  local cursor = other:run("return vim.api.nvim_win_get_cursor(0)")
  scenario.equal(cursor, { 3, 16 }, "the cursor is where the code was")
  other:stop()
end)
