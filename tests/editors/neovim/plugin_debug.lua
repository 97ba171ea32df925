-- A program that an agent debugs: the line where it stands, what its variables hold, what it writes;
-- and a person's own in nvim-dap. NVIM-DAP ITSELF IS ON NO PACKAGE REGISTRY: its `run` stands here.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

local TEXT = [[
def total(prices):
    count = len(prices)
    return sum(prices) / count


def test_total():
    assert total([1, 2]) == 1.5


if __name__ == "__main__":
    print(total([1, 2]))
]]

-- The display of stops: signs and virtual text, by lines from 1.
local function shown(bufnr)
  local namespace = vim.api.nvim_create_namespace("tandem.debug")
  local found = { values = {} }
  local marks = vim.api.nvim_buf_get_extmarks(bufnr, namespace, 0, -1, { details = true })
  for _, mark in ipairs(marks) do
    if mark[4].sign_text then
      found.line = mark[2] + 1
    elseif mark[4].virt_text then
      found.values[mark[2] + 1] = vim.trim(mark[4].virt_text[1][1])
    end
  end
  return found
end

-- Approves every request.
local function allow()
  vim.ui.select = function(items, _, done)
    for _, item in ipairs(items) do
      if item.title == "Allow once" then
        return done(item)
      end
    end
    done(nil)
  end
end

local function stopped(tandem)
  scenario.write("test_shop.py", TEXT)
  local bufnr = plugin.open("test_shop.py")
  allow()
  local set = { action = "set", file = "test_shop.py", line = 3 }
  assert(tandem.call("debug_breakpoint", set))
  local call = plugin.start("debug_launch", { program = "test_shop.py" })
  local stop, error = plugin.over(call)
  assert(stop and stop.state == "stopped", vim.inspect(stop or error))
  return bufnr
end

scenario.run(function()
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local tandem = require("tandem")
  local bufnr = stopped(tandem)
  scenario.wait("the stop is shown", function()
    return shown(bufnr).line == 3
  end)
  scenario.wait("the values are shown", function()
    return (shown(bufnr).values[2] or ""):find("count = 2", 1, true)
  end)
  assert(tandem.statusline():find("stopped:3", 1, true), tandem.statusline())
  vim.cmd("enew")
  vim.cmd("Tandem debug")
  plugin.wait_said("stopped at test_shop.py:3 in total (breakpoint)")
  scenario.equal(vim.api.nvim_get_current_buf(), bufnr, "it is gone to")
  scenario.equal(vim.api.nvim_win_get_cursor(0)[1], 3, "by line")

  local done = assert(tandem.call("debug_step", { action = "continue" }))
  scenario.equal(done.state, "exited", "it goes on to its end")
  scenario.wait("the stop is gone", function()
    return vim.deep_equal(shown(bufnr), { values = {} })
  end)
  vim.cmd("Tandem debug output")
  scenario.wait("what it wrote", function()
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
    return text:find("1.5", 1, true) and text:find("has ended: exit code 0", 1, true)
  end)
  vim.cmd.close()
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.cmd("Tandem debug")
  plugin.wait_said("no program is stopped")

  -- In nvim-dap, the test at the cursor and an agent's session.
  local ran = {}
  -- A file whose name begins like another's is another file.
  local alike = vim.fn.bufadd(scenario.root .. "/no_such.pyi")
  vim.fn.bufload(alike)
  local client = require("tandem.client").client(bufnr)
  local elsewhere = {
    session = 99,
    reason = "breakpoint",
    uri = vim.uri_from_fname(scenario.root .. "/no_such.py"),
    line = 1,
  }
  require("tandem.debug").stopped(elsewhere, client.id)
  scenario.equal(shown(alike).line, nil, "no stop in a file that is named alike")
  require("tandem.debug").continued({ session = 99 }, client.id)

  package.preload.dap = function()
    return {
      run = function(configuration)
        table.insert(ran, configuration)
      end,
    }
  end
  vim.api.nvim_win_set_cursor(0, { 7, 0 })
  vim.cmd("Tandem debug start")
  scenario.wait("nvim-dap runs it", function()
    return #ran == 1
  end)
  scenario.equal(ran[1].test, "test_shop.py::test_total", "the test")
  scenario.equal({ ran[1].type, ran[1].request }, { "tandem", "launch" }, "by the adapter")
  assert(type(require("dap").adapters.tandem) == "function")
  stopped(tandem)
  vim.cmd("Tandem debug join")
  scenario.wait("nvim-dap shows it", function()
    return #ran == 2
  end)
  scenario.equal(ran[2].request, "attach", "an agent's session")
  assert(type(ran[2].session) == "number", vim.inspect(ran[2]))
  -- The stops of an ended server are removed.
  vim.uv.kill(plugin.process(require("tandem.client").client()), "sigkill")
  scenario.wait("no stop is shown", function()
    return not shown(bufnr).line
  end)
end)
