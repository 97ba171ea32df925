-- Shows stops, variables and output of debugged programs, started by you or by an agent, and starts tests
-- and programs under a debugger.
local compat = require("tandem.compat")

local M = {}

local namespace = vim.api.nvim_create_namespace("tandem.debug")
-- Limits of the output kept: lines, and bytes a line.
local MOST = 5000
local WIDEST = 4096
-- Limit of the values behind a line, in characters.
local LONGEST = 120

---@class tandem.Stop
---@field session integer
---@field program? string
---@field reason string
---@field text? string
---@field frame? integer
---@field function? string
---@field uri? string
---@field range? lsp.Range The whole line.
---@field line? integer 1-based.

---@type table<string, tandem.Stop> By client and session.
local stops = {}
---@type string[] The stops' keys, newest last.
local order = {}
---@type string[]
local output = { "" }
---@type integer? The buffer that shows it.
local page

local function key(session, id)
  return ("%d %d"):format(id, session)
end

---The newest stop.
---@return tandem.Stop?
function M.last()
  return stops[order[#order]]
end

---A stop, in one line.
---@param stop tandem.Stop
---@return string
function M.words(stop)
  local program = stop.program and vim.fs.basename(stop.program) or "the program"
  local file = stop.uri and vim.fs.basename(vim.uri_to_fname(stop.uri))
  local where = file and (" at %s:%d"):format(file, stop.line or 1) or ""
  local inside = stop["function"] and (" in " .. stop["function"]) or ""
  local why = stop.text and ("%s: %s"):format(stop.reason, stop.text) or stop.reason
  return ("%s stopped%s%s (%s)"):format(program, where, inside, why)
end

local function changed()
  vim.api.nvim_exec_autocmds("User", { pattern = "TandemDebug", modeline = false })
  vim.cmd.redrawstatus({ bang = true })
end

local function clear()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  end
end

local function buffer_of(stop)
  return stop.uri and require("tandem.buffers").of_file(vim.uri_to_fname(stop.uri))
end

local function paint_values(bufnr, values)
  local lines = {}
  for _, value in ipairs(values) do
    local line = value.range.start.line
    if type(value.text) == "string" then
      lines[line] = (lines[line] and lines[line] .. ", " or "") .. value.text
    end
  end
  local count = vim.api.nvim_buf_line_count(bufnr)
  for line, text in pairs(lines) do
    if line < count then
      text = vim.fn.strchars(text) > LONGEST and vim.fn.strcharpart(text, 0, LONGEST) .. "…"
        or text
      vim.api.nvim_buf_set_extmark(bufnr, namespace, line, 0, {
        virt_text = { { "  " .. text, "TandemDebugValue" } },
        hl_mode = "combine",
      })
    end
  end
end

-- Requests the values of a stop's variables and shows them behind the lines that name them.
local function ask_values(stop, id)
  local client = vim.lsp.get_client_by_id(id)
  if not (client and stop.uri and stop.range and stop.frame) then
    return
  end
  compat.client(client, "request", "textDocument/inlineValue", {
    textDocument = { uri = stop.uri },
    range = {
      start = { line = 0, character = 0 },
      ["end"] = { line = stop.range.start.line + 1, character = 0 },
    },
    context = { frameId = stop.frame, stoppedLocation = stop.range },
  }, function(_, values)
    -- The program may have continued meanwhile.
    if stops[key(stop.session, id)] == stop and type(values) == "table" then
      stop.values = values
      M.paint()
    end
  end)
end

---Shows all stops again.
function M.paint()
  clear()
  for _, stop in pairs(stops) do
    local bufnr = buffer_of(stop)
    local line = math.max((stop.line or 1) - 1, 0)
    if bufnr and line < vim.api.nvim_buf_line_count(bufnr) then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, line, 0, {
        sign_text = "▶",
        sign_hl_group = "TandemDebugStop",
        line_hl_group = "TandemDebugLine",
        priority = 60,
      })
      paint_values(bufnr, stop.values or {})
    end
  end
end

local has_begun = false

local function begin()
  if has_begun then
    return
  end
  has_begun = true
  for name, link in pairs({
    TandemDebugStop = "DiagnosticSignWarn",
    TandemDebugLine = "CursorLine",
    TandemDebugValue = "Comment",
  }) do
    vim.api.nvim_set_hl(0, name, { default = true, link = link })
  end
  vim.api.nvim_create_autocmd("BufReadPost", {
    group = vim.api.nvim_create_augroup("tandem.debug", {}),
    callback = function()
      vim.schedule(M.paint)
    end,
  })
end

local function forget(session, id)
  local name = key(session, id)
  stops[name] = nil
  for index, one in ipairs(order) do
    if one == name then
      table.remove(order, index)
      break
    end
  end
end

---@param stop tandem.Stop
---@param id integer The client.
function M.stopped(stop, id)
  begin()
  forget(stop.session, id)
  stops[key(stop.session, id)] = stop
  table.insert(order, key(stop.session, id))
  M.paint()
  ask_values(stop, id)
  changed()
end

---@param params {session: integer}
---@param id integer
function M.continued(params, id)
  forget(params.session, id)
  M.paint()
  changed()
end

---@param params {session: integer, exitCode?: integer, error?: string}
---@param id integer
function M.exited(params, id)
  M.continued(params, id)
  local code = type(params.exitCode) == "number" and params.exitCode or "unknown"
  local how = type(params.error) == "string" and params.error or ("exit code %s"):format(code)
  M.wrote({ text = ("[session %d has ended: %s]\n"):format(params.session, how) })
end

---@param params {text: string, lost?: integer}
function M.wrote(params)
  local text = params.text
  if params.lost and params.lost ~= vim.NIL then
    text = ("%s\n[%d bytes omitted]\n"):format(text, params.lost)
  end
  local lines = vim.split(text, "\n", { plain = true })
  lines[1] = table.remove(output) .. lines[1]
  for _, line in ipairs(lines) do
    -- An endless line keeps its last part only.
    table.insert(output, #line > WIDEST and "…" .. line:sub(-WIDEST) or line)
  end
  if #output > MOST then
    output = vim.list_slice(output, #output - MOST + 1)
  end
  if page and vim.api.nvim_buf_is_loaded(page) then
    M.fill(page)
  end
end

---Removes the stops of a server that has ended.
---@param id integer
function M.ended(id)
  for name, stop in pairs(stops) do
    if name == key(stop.session, id) then
      forget(stop.session, id)
    end
  end
  M.paint()
  changed()
end

---Fills a buffer with the programs' output. Windows at its end stay at its end.
---@param bufnr integer
function M.fill(bufnr)
  local last = vim.api.nvim_buf_line_count(bufnr)
  local windows = vim.tbl_filter(function(winid)
    return vim.api.nvim_win_get_cursor(winid)[1] == last
  end, vim.fn.win_findbuf(bufnr))
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, output)
  vim.bo[bufnr].modifiable = false
  for _, winid in ipairs(windows) do
    vim.api.nvim_win_set_cursor(winid, { #output, 0 })
  end
end

---Goes to the newest stop.
function M.show()
  local stop = M.last()
  if not stop then
    return vim.notify("tandem: no program is stopped")
  end
  if stop.uri then
    vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(stop.uri)))
    local last = vim.api.nvim_buf_line_count(0)
    vim.api.nvim_win_set_cursor(0, { math.min(stop.line or 1, last), 0 })
    M.paint()
  end
  vim.notify("tandem: " .. M.words(stop))
end

---Shows the programs' output.
function M.output()
  local shown = page and vim.fn.win_findbuf(page)[1]
  if shown then
    return vim.api.nvim_set_current_win(shown)
  end
  vim.cmd("botright new")
  page = vim.api.nvim_get_current_buf()
  vim.bo[page].buftype = "nofile"
  vim.bo[page].bufhidden = "wipe"
  -- Another buffer may have the name.
  pcall(vim.api.nvim_buf_set_name, page, "tandem debug output")
  M.fill(page)
end

---@class tandem.DebugTarget The argument of the server's lens above a test or program.
---@field kind "test"|"main"
---@field name string
---@field path string
---@field launch? table The arguments of `debug_launch`.

---Debugs a test or program: in nvim-dap if it is installed, otherwise in the server.
---@param target tandem.DebugTarget
---@param id? integer The client.
function M.start(target, id)
  local launch = target.launch
  if not launch then
    local program =
      vim.fn.input({ prompt = ("Program of %s: "):format(target.name), completion = "file" })
    if program == "" then
      return
    end
    launch = { program = program }
  end
  if require("tandem.dap").setup() then
    local wanted = { type = "tandem", request = "launch", name = target.name }
    return require("dap").run(vim.tbl_extend("force", launch, wanted))
  end
  require("tandem.call").call("debug_launch", launch, {
    client = id and vim.lsp.get_client_by_id(id),
    on_done = function(error)
      if error then
        local text = ("tandem: %s: %s"):format(error.code, error.message)
        vim.notify(text, vim.log.levels.ERROR)
      end
    end,
  })
end

---Finds the tests and programs of a file, each with the line of its name.
---@param uri string
---@param client vim.lsp.Client
---@param done fun(targets: {line: integer, target: tandem.DebugTarget}[]) Lines are 0-based.
---@param wanted? string The command of the lenses; `tandem.debug` by default.
function M.targets(uri, client, done, wanted)
  local params = { textDocument = { uri = uri } }
  compat.client(client, "request", "textDocument/codeLens", params, function(_, lenses)
    local found = {}
    for _, lens in ipairs(type(lenses) == "table" and lenses or {}) do
      local command = lens.command
      if command and command.command == (wanted or "tandem.debug") then
        local target = command.arguments[1]
        table.insert(found, { line = lens.range.start.line, target = target })
      end
    end
    done(found)
  end, vim.api.nvim_get_current_buf())
end

---Debugs the test or program at the cursor, or the only one.
function M.at_cursor()
  M.choose("tandem.debug", M.start)
end

---Passes the test or program at the cursor on, or the only one.
---@param command string The command of its lens.
---@param start fun(target: table, id: integer)
function M.choose(command, start)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = vim.lsp.get_clients({ name = "tandem", bufnr = bufnr })[1]
  if not client then
    return vim.notify("tandem: no server is attached", vim.log.levels.ERROR)
  end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  M.targets(vim.uri_from_bufnr(bufnr), client, function(targets)
    local chosen = #targets == 1 and targets[1] or nil
    for _, one in ipairs(targets) do
      if one.line <= line and (not chosen or one.line >= chosen.line) then
        chosen = one
      end
    end
    if not chosen then
      return vim.notify("tandem: there is no test and no program at the cursor")
    end
    start(chosen.target, client.id)
  end, command)
end

---Shows a program that an agent debugs in nvim-dap.
---@param session? integer
function M.join(session)
  if not require("tandem.dap").setup() then
    return vim.notify("tandem: nvim-dap is not installed", vim.log.levels.ERROR)
  end
  require("tandem.call").call("debug_sessions", {}, {
    on_done = function(error, result)
      local sessions = result and result.sessions or {}
      local wanted = session or (sessions[1] and sessions[1].session)
      if error or not wanted then
        return vim.notify("tandem: " .. (error and error.message or "nothing is being debugged"))
      end
      local name = ("session %d"):format(wanted)
      require("dap").run({ type = "tandem", request = "attach", name = name, session = wanted })
    end,
  })
end

return M
