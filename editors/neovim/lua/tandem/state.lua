-- Reports the editor state to the servers: tabs, unsaved files, selections, visible lines. A keystroke
-- costs one check of a flag; the state is collected after a pause.
local compat = require("tandem.compat")

local M = {}

-- The pause before a report, in milliseconds.
local PAUSE = 60
-- The server's limits of tabs and selections.
local MOST = 200
local MOST_SELECTIONS = 1000

local timer = nil
local is_due = false
local has_started = false
---@type table<integer, table> The last report to each client.
local told = {}
---@type integer? The buffer of the last active file.
local active_file

local function is_file(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  return vim.bo[bufnr].buftype == "" and name ~= "" and not name:match("^%a[%w+.-]+:")
end

local function position(bufnr, line, byte, encoding)
  local text = vim.api.nvim_buf_get_lines(bufnr, line, line + 1, false)[1] or ""
  return { line = line, character = compat.character(text, byte, encoding) }
end

-- The position after the character at a byte, or the line's end.
local function past(bufnr, line, byte)
  local text = vim.api.nvim_buf_get_lines(bufnr, line, line + 1, false)[1] or ""
  if byte >= #text then
    return #text
  end
  return byte + 1 + vim.str_utf_end(text, byte + 1)
end

-- Nil if there are too many: a part of them would be a wrong answer.
local function selections(bufnr, encoding)
  local mode = vim.fn.mode()
  local cursor = vim.fn.getpos(".")
  local line, byte = cursor[2] - 1, cursor[3] - 1
  if not mode:match("^[vVsS\22\19]") then
    local place = position(bufnr, line, byte, encoding)
    return { { start = place, ["end"] = place } }
  end
  local anchor = vim.fn.getpos("v")
  local from, at = anchor[2] - 1, anchor[3] - 1
  local is_forward = from < line or (from == line and at <= byte)
  if mode:match("^[VS]") then
    local first, last = math.min(from, line), math.max(from, line)
    local text = vim.api.nvim_buf_get_lines(bufnr, last, last + 1, false)[1] or ""
    local start = position(bufnr, first, 0, encoding)
    local stop = position(bufnr, last, #text, encoding)
    local ends = is_forward and { start, stop } or { stop, start }
    return { { start = ends[1], ["end"] = ends[2] } }
  end
  if mode:match("^[\22\19]") then
    local found = {}
    if math.abs(from - line) >= MOST_SELECTIONS then
      return nil
    end
    local left, right = math.min(at, byte), math.max(at, byte)
    for row = math.min(from, line), math.max(from, line) do
      table.insert(found, {
        start = position(bufnr, row, left, encoding),
        ["end"] = position(bufnr, row, past(bufnr, row, right), encoding),
      })
    end
    return found
  end
  -- Both ends are included.
  if is_forward then
    byte = past(bufnr, line, byte)
  else
    at = past(bufnr, from, at)
  end
  local start = position(bufnr, from, at, encoding)
  return { { start = start, ["end"] = position(bufnr, line, byte, encoding) } }
end

local function state(client)
  local encoding = client.offset_encoding
  local tabs, active = {}, nil
  local current = vim.api.nvim_get_current_buf()
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local is_told = #tabs < MOST or bufnr == current
    if is_told and vim.bo[bufnr].buflisted and is_file(bufnr) then
      table.insert(tabs, { uri = vim.uri_from_bufnr(bufnr), dirty = vim.bo[bufnr].modified })
      if bufnr == current then
        active = #tabs - 1
      end
    end
  end
  local visible = {}
  for _, winid in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local bufnr = vim.api.nvim_win_get_buf(winid)
    if is_file(bufnr) and vim.api.nvim_win_get_config(winid).relative == "" then
      -- A window that was never drawn has no visible lines.
      local first = math.max(vim.fn.line("w0", winid), 1)
      local last = math.max(vim.fn.line("w$", winid), first)
      local text = vim.api.nvim_buf_get_lines(bufnr, last - 1, last, false)[1] or ""
      table.insert(visible, {
        uri = vim.uri_from_bufnr(bufnr),
        range = {
          start = { line = first - 1, character = 0 },
          ["end"] = { line = last - 1, character = compat.character(text, #text, encoding) },
        },
      })
    end
  end
  local report = { tabs = tabs, visible = visible, activeTab = active }
  -- In other windows the last file stays the active one.
  if not is_file(current) then
    if active_file and vim.api.nvim_buf_is_loaded(active_file) and is_file(active_file) then
      report.activeUri = vim.uri_from_bufnr(active_file)
    end
    return report
  end
  active_file = current
  report.activeUri = vim.uri_from_bufnr(current)
  report.selections = selections(current, encoding)
  report.version = vim.lsp.util.buf_versions[current]
  return report
end

---Reports to every server now.
function M.report()
  is_due = false
  -- A selection stays while a command is typed.
  if vim.fn.mode():sub(1, 1) == "c" then
    return
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = "tandem" })) do
    if client.initialized and not client:is_stopped() then
      local report = state(client)
      if not vim.deep_equal(report, told[client.id]) then
        told[client.id] = report
        compat.client(client, "notify", "tandem/didChangeEditorState", report)
      end
    end
  end
end

---Forgets the last report to a server that has ended.
---@param id integer
function M.ended(id)
  told[id] = nil
end

---Schedules a report.
function M.touch()
  if is_due then
    return
  end
  is_due = true
  timer = timer or assert(vim.uv.new_timer())
  timer:start(PAUSE, 0, vim.schedule_wrap(M.report))
end

---Starts reporting.
function M.start()
  if has_started or not require("tandem.settings").current().editor_state then
    return
  end
  has_started = true
  vim.api.nvim_create_autocmd({
    "BufEnter",
    "BufDelete",
    "BufModifiedSet",
    "BufWritePost",
    "CmdlineLeave",
    "CursorMoved",
    "CursorMovedI",
    "LspAttach",
    "ModeChanged",
    "TabEnter",
    "VimResized",
    "WinClosed",
    "WinEnter",
    "WinScrolled",
  }, {
    group = vim.api.nvim_create_augroup("tandem.state", {}),
    callback = M.touch,
  })
  M.touch()
end

return M
