-- A process that an agent started, in a live buffer: its output as it comes, what is typed, and its end.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local Child = require("child")

scenario.run(function()
  scenario.write("a.txt", "one\n")
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  local child = Child.start("a.txt")
  local function run(command)
    child:run([[vim.cmd(...)]], command)
  end
  local function said(text)
    child:wait(
      "`" .. text .. "` is said",
      [[return table.concat(_G.said, "\n"):find(..., 1, true)]],
      text
    )
  end
  run("Tandem processes")
  said("no process was started")

  -- An agent starts one, which the person allows.
  local function start(params)
    child:run(
      [[
      _G.answer, _G.started = 1, nil
      require("tandem").call("process_start", ..., {
        on_done = function(error, result) _G.started = error or result end,
      })
    ]],
      params
    )
    child:wait("it is started", [[return _G.started]])
    local id = child:run([[return _G.started.id or vim.inspect(_G.started)]])
    assert(id:find("^p%d+$"), id)
  end
  local echo = 'echo ready; while read line; do echo "<$line>"; done; echo over'
  start({ command = echo, name = "echo", ready = { pattern = "ready" } })
  run("Tandem processes echo")
  child:wait("the live buffer is open", [[return vim.bo.filetype == "tandem-process"]])
  local function shows(text)
    local shown = [[
      local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
      return table.concat(lines, "\n"):find(..., 1, true)
    ]]
    local ok, why = pcall(child.wait, child, ("`%s` is shown"):format(text), shown, text)
    if not ok then
      local lines = child:run([[return vim.api.nvim_buf_get_lines(0, 0, -1, false)]])
      error(why .. "; it shows\n" .. vim.trim(table.concat(lines, "\n")), 2)
    end
  end
  shows("ready")

  -- What the person types there needs no approval, and is edited before it is sent.
  local function questions()
    return child:run([[return #_G.chosen]])
  end
  local asked = questions()
  child:type("itypo<BS>ed<CR>")
  shows("<typed>")
  scenario.equal(questions(), asked, "nothing is asked")
  -- What an agent types is seen, too. Nothing is asked while the person types.
  child:type([[<C-\><C-n>]])
  child:run([[require("tandem").call("process_input", ..., { on_done = function() end })]], {
    id = "echo",
    text = "by the agent",
  })
  shows("<by the agent>")
  scenario.equal(questions(), asked + 1, "the agent needs approval")

  -- A process has one buffer.
  local bufnr = child:run([[return vim.api.nvim_get_current_buf()]])
  run("wincmd p")
  run("Tandem processes echo")
  child:wait("its buffer has the cursor", [[return vim.api.nvim_get_current_buf() == ...]], bufnr)
  child:type("i<C-d>")
  shows("over")
  shows("[exited with code 0]")
  child:type([[<C-\><C-n>q]])
  child:wait("its window is closed", [[return vim.api.nvim_get_current_buf() ~= ...]], bufnr)

  -- A terminal echoes by itself, and gets keys as they are. The list offers the newest first.
  start({ command = "stty size; cat", pty = true })
  run("Tandem processes")
  child:wait("the newest is open", [[return vim.bo.filetype == "tandem-process"]])
  child:type("iab<CR>")
  shows("ab\nab")
  child:type("<C-d>")
  shows("[exited with code 0]")

  run("Tandem processes nothing")
  said("there is no process `nothing`")
end)
