-- The processes that agents started: a list, and a live terminal buffer for each.
local M = {}

---@class tandem.Process
---@field id string
---@field name? string
---@field command string
---@field status "running"|"exited"|"killed"
---@field exit_code? integer
---@field signal? integer
---@field pty? boolean
---@field kept? boolean

-- How long a call waits for output, in milliseconds.
local PATIENCE = 25000
-- The pause between two pages, in milliseconds: a flood costs ten calls a second.
local PAUSE = 100

---@type table<string, integer> The buffers that are shown, by server and process.
local shown = {}

local function say(text, level)
  require("tandem.client").say(text, level)
end

-- Calls tools as the person, who needs no approval for what they do: one after the other, as calls at the
-- same time may overtake each other.
local function actor(client)
  local waiting, busy = {}, false
  local function advance()
    local call = not busy and table.remove(waiting, 1)
    if not call then
      return
    end
    busy = true
    require("tandem.compat").client(client, "request", "tandem/call", call, function(trouble)
      busy = false
      if trouble then
        say(trouble.message, vim.log.levels.ERROR)
      end
      advance()
    end)
  end
  return function(tool, params)
    local last = waiting[#waiting]
    -- Keys that wait are sent together.
    if params.text and last and last.arguments.text then
      last.arguments.text = last.arguments.text .. params.text
    else
      table.insert(waiting, { tool = tool, arguments = params })
    end
    advance()
  end
end

---How a process ended, or that it runs.
---@param process tandem.Process
---@return string
function M.state(process)
  if process.status == "running" then
    return process.kept and "running, kept" or "running"
  elseif process.status == "killed" then
    return "killed"
  elseif process.signal then
    return ("ended by signal %d"):format(process.signal)
  end
  return ("exited with code %d"):format(process.exit_code or 0)
end

-- Input of a process without a terminal: nobody else echoes, edits a line, or turns keys into signals.
local function line_editor(act, id, echo)
  local line = ""
  local function enter()
    echo("\r\n")
    act("process_input", { id = id, text = line .. "\n", newline = false })
    line = ""
  end
  local keys = {
    ["\r"] = enter,
    -- What is pasted has these.
    ["\n"] = enter,
    ["\127"] = function()
      if line ~= "" then
        line = vim.fn.strcharpart(line, 0, vim.fn.strchars(line) - 1)
        echo("\b \b")
      end
    end,
    ["\3"] = function()
      echo("^C\r\n")
      line = ""
      act("process_kill", { id = id, signal = "INT" })
    end,
    ["\4"] = function()
      act("process_input", { id = id, eof = true })
    end,
  }
  return function(data)
    for _, key in ipairs(vim.fn.split(data, "\\zs")) do
      if keys[key] then
        keys[key]()
      elseif key >= " " then
        line = line .. key
        echo(key)
      end
    end
  end
end

-- Shows all output that is kept, and then what comes, until the buffer is gone.
local function follow(client, bufnr, channel, process)
  local tools = require("tandem.generated.tools")
  local cursor = "0"
  local cancel
  local function write(text)
    if text ~= "" and vim.api.nvim_buf_is_valid(bufnr) then
      -- Pipes have line ends only; a terminal needs the way back to the first column, too.
      vim.api.nvim_chan_send(channel, process.pty and text or (text:gsub("\r?\n", "\r\n")))
    end
  end
  local function note(text)
    write(("\r\n\27[2m[%s]\27[0m\r\n"):format(text))
  end
  local function ask()
    if not vim.api.nvim_buf_is_valid(bufnr) then
      return
    end
    local params = { id = process.id, cursor = cursor, wait_ms = PATIENCE, raw = true }
    cancel = tools.process_output(params, {
      client = client,
      on_done = function(error, page)
        if not vim.api.nvim_buf_is_valid(bufnr) then
          return
        elseif error then
          return note(error.message)
        end
        if (page.dropped or 0) > 0 then
          note(("%d bytes are no longer kept"):format(page.dropped))
        end
        write(page.output)
        cursor = page.next_cursor
        if page.status ~= "running" and not page.more then
          process.status = page.status
          return note(M.state(page))
        end
        vim.defer_fn(ask, page.output ~= "" and PAUSE or 0)
      end,
    })
  end
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = bufnr,
    once = true,
    callback = function()
      if cancel then
        cancel()
      end
    end,
  })
  ask()
end

-- Gives a process with a terminal the size of its window.
local function resize(act, bufnr, process)
  local winid = vim.fn.bufwinid(bufnr)
  if process.pty and process.status == "running" and winid ~= -1 then
    local rows, columns = vim.api.nvim_win_get_height(winid), vim.api.nvim_win_get_width(winid)
    act("process_input", { id = process.id, rows = rows, columns = columns })
  end
end

-- Opens the live buffer of a process, or goes to it.
local function open(client, process)
  local key = client.id .. " " .. process.id
  local known = shown[key]
  if known and vim.api.nvim_buf_is_valid(known) then
    local winid = vim.fn.bufwinid(known)
    if winid ~= -1 then
      return vim.api.nvim_set_current_win(winid)
    end
    return vim.cmd(("botright 12split | buffer %d"):format(known))
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.cmd("botright 12split")
  vim.api.nvim_win_set_buf(0, bufnr)
  vim.wo.number = false
  vim.wo.relativenumber = false
  pcall(vim.api.nvim_buf_set_name, bufnr, "tandem process " .. (process.name or process.id))
  local act = actor(client)
  local channel, edit
  channel = vim.api.nvim_open_term(bufnr, {
    on_input = function(_, _, _, data)
      if process.status ~= "running" then
        return
      elseif process.pty then
        act("process_input", { id = process.id, text = data, newline = false })
      else
        edit(data)
      end
    end,
  })
  edit = line_editor(act, process.id, function(text)
    vim.api.nvim_chan_send(channel, text)
  end)
  shown[key] = bufnr
  vim.bo[bufnr].filetype = "tandem-process"
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = bufnr, nowait = true })
  vim.api.nvim_create_autocmd("VimResized", {
    buffer = bufnr,
    callback = function()
      resize(act, bufnr, process)
    end,
  })
  resize(act, bufnr, process)
  follow(client, bufnr, channel, process)
end

---Shows a process in a live buffer; without an id or name, the person chooses.
---@param id? string
function M.show(id)
  local client = require("tandem.client").client()
  if not client then
    return say("no server is attached", vim.log.levels.WARN)
  end
  require("tandem.generated.tools").process_list({}, {
    client = client,
    on_done = function(error, result)
      if error then
        return say(error.message, vim.log.levels.ERROR)
      end
      -- The newest first.
      local all = vim.fn.reverse(vim.deepcopy(result.processes or {}))
      if id then
        for _, process in ipairs(all) do
          if process.id == id or process.name == id then
            return open(client, process)
          end
        end
        return say(("there is no process `%s`"):format(id), vim.log.levels.ERROR)
      elseif #all == 0 then
        return say("no process was started")
      end
      vim.ui.select(all, {
        prompt = "Show a process",
        format_item = function(process)
          local name = process.name or process.id
          return ("%s: %s: %s"):format(name, M.state(process), process.command)
        end,
      }, function(process)
        if process then
          open(client, process)
        end
      end)
    end,
  })
end

return M
