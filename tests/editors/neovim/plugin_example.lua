-- The example plugin: proposes an edit, shows it, asks, applies it in one step, and undoes it.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

scenario.run(function()
  scenario.write("a.txt", "one\n")
  scenario.write("b.txt", "one\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  plugin.load()
  local bufnr = plugin.open("a.txt")
  local example = dofile(plugin.folder .. "/examples/ask_first.lua")
  local function edits()
    local function edit(path)
      return { path = path, patches = { { old_text = "one", new_text = "two" } } }
    end
    return { edit("a.txt"), edit("b.txt") }
  end
  local answer, shown
  vim.ui.select = function(items, _, done)
    shown = plugin.floats()[1].text
    done(answer and items[answer])
  end
  local function propose()
    local over = {}
    example.propose(edits(), function(action, error)
      over.action, over.error, over.is_over = action, error, true
    end)
    scenario.wait("it is over", function()
      return over.is_over
    end)
    return over
  end
  answer = 2
  scenario.equal(propose().action, nil, "nothing happens without leave")
  assert(shown:find("-one\n+two", 1, true) and shown:find("b.txt", 1, true), shown)
  scenario.equal(scenario.text(bufnr), "one\n", "nothing changed")
  answer = 1
  local action = propose().action
  scenario.equal({ scenario.text(bufnr), scenario.on_disk("b.txt") }, { "two\n", "two\n" }, "both")
  assert(example.undo(action))
  scenario.equal({ scenario.text(bufnr), scenario.on_disk("b.txt") }, { "one\n", "one\n" }, "back")

  -- Unsaved text is shown and changed.
  vim.api.nvim_buf_set_lines(bufnr, 1, 1, true, { "unsaved" })
  local over = propose()
  assert(over.action, vim.inspect(over.error))
  scenario.equal(scenario.text(bufnr), "two\nunsaved\n", "the unsaved text")
  assert(example.undo(over.action))
  -- Typing during the review makes it outdated.
  vim.ui.select = function(items, _, done)
    vim.api.nvim_win_close(plugin.floats()[1].winid, true)
    vim.api.nvim_buf_set_lines(bufnr, 1, 2, true, { "typed meanwhile" })
    done(items[1])
  end
  over = propose()
  scenario.equal(over.error and over.error.code, "E_CONFLICT", "it has changed since")
  scenario.equal(scenario.text(bufnr), "one\ntyped meanwhile\n", "nothing happened")
end)
