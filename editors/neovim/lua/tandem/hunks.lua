-- Signs for differences to git's index, as reported by the server, and actions for the hunk or conflict
-- at the cursor.
local M = {}

local namespace = vim.api.nvim_create_namespace("tandem.hunks")

local SIGNS = {
  added = { text = "┃", highlight = "Added" },
  changed = { text = "┃", highlight = "Changed" },
  removed = { text = "▁", highlight = "Removed" },
}

-- The actions of `:Tandem hunks` and `:Tandem conflicts`: kind of code action, and start of its title.
local ACTIONS = {
  stage = { kind = "git.stage" },
  unstage = { kind = "git.unstage" },
  revert = { kind = "git.revert" },
  ours = { kind = "quickfix", title = "Take our side" },
  theirs = { kind = "quickfix", title = "Take their side" },
  both = { kind = "quickfix", title = "Take both sides" },
}

---@class tandem.Hunk
---@field kind "added"|"changed"|"removed"
---@field range lsp.Range Whole lines of the buffer; empty for removed lines.
---@field old_start integer 1-based, like the others.
---@field old_lines integer
---@field new_start integer
---@field new_lines integer

---@class tandem.Hunks
---@field uri string
---@field version? integer
---@field hunks tandem.Hunk[] Differences to the index.
---@field staged tandem.Hunk[]

---The last reported hunks of each buffer, for statuslines and motions.
---@type table<integer, tandem.Hunks>
M.told = {}

local function sign(bufnr, line, kind, is_staged)
  local shown = SIGNS[kind]
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  vim.api.nvim_buf_set_extmark(bufnr, namespace, math.max(math.min(line, last), 0), 0, {
    sign_text = shown.text,
    sign_hl_group = is_staged and "Comment" or shown.highlight,
    -- Unstaged hunks cover staged ones.
    priority = is_staged and 5 or 6,
  })
end

local function place(bufnr, hunks, is_staged)
  for _, hunk in ipairs(hunks) do
    local first, after = hunk.range.start.line, hunk.range["end"].line
    if hunk.kind == "removed" then
      sign(bufnr, first - 1, "removed", is_staged)
    end
    for line = first, after - 1 do
      sign(bufnr, line, hunk.kind, is_staged)
    end
  end
end

---Shows the server's report for a buffer, unless it is for another version.
---@param params tandem.Hunks
function M.show(params)
  local bufnr = require("tandem.buffers").of_file(vim.uri_to_fname(params.uri))
  if not bufnr then
    return
  end
  local version = vim.lsp.util.buf_versions[bufnr]
  if version and version ~= params.version then
    return
  end
  M.told[bufnr] = params
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  place(bufnr, params.staged, true)
  place(bufnr, params.hunks, false)
end

---Removes the signs of buffers whose server has ended.
---@param buffers integer[]
function M.clear(buffers)
  for _, bufnr in ipairs(buffers) do
    M.told[bufnr] = nil
    if vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
    end
  end
end

---Runs one of `ACTIONS` at the cursor.
---@param name string
function M.act(name)
  local action = ACTIONS[name]
  if not action then
    vim.notify("tandem: there is no action `" .. name .. "`", vim.log.levels.ERROR)
    return
  end
  vim.lsp.buf.code_action({
    apply = true,
    context = { only = { action.kind }, diagnostics = {} },
    filter = function(found)
      return vim.startswith(found.title, action.title or "")
    end,
  })
end

-- The hunks of the current buffer, in order.
local function here()
  local told = M.told[vim.api.nvim_get_current_buf()]
  local hunks = told and vim.list_slice(told.hunks) or {}
  table.sort(hunks, function(a, b)
    return a.range.start.line < b.range.start.line
  end)
  return hunks
end

-- The 1-based line of a hunk for the cursor.
local function line_of(hunk)
  local last = vim.api.nvim_buf_line_count(0)
  return math.min(hunk.range.start.line + (hunk.kind == "removed" and 0 or 1), last)
end

-- The hunk at the cursor, if any.
local function at_cursor()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, hunk in ipairs(here()) do
    local first, after = hunk.range.start.line, hunk.range["end"].line
    local is_there = first <= line and line < after
    if is_there or (first == after and (line == first or line == first - 1)) then
      return hunk
    end
  end
end

---Goes to the next or previous hunk, wrapping around.
---@param forward boolean
function M.jump(forward)
  local hunks = here()
  if #hunks == 0 then
    return vim.notify("tandem: nothing differs from the index")
  end
  local line = vim.api.nvim_win_get_cursor(0)[1]
  local target
  for _, hunk in ipairs(hunks) do
    local at = line_of(hunk)
    if forward and at > line then
      target = at
      break
    elseif not forward and at < line then
      target = at
    end
  end
  target = target or line_of(forward and hunks[1] or hunks[#hunks])
  vim.api.nvim_win_set_cursor(0, { math.max(target, 1), 0 })
end

---Shows the hunk at the cursor as a diff from the index to the buffer.
function M.preview()
  local hunk = at_cursor()
  if not hunk then
    return vim.notify("tandem: there is no hunk at the cursor")
  end
  local float = require("tandem.float")
  local bufnr = vim.api.nvim_get_current_buf()
  local name = vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))
  local path = vim.api.nvim_buf_get_name(bufnr)
  local title = ("@@ -%d,%d +%d,%d @@"):format(
    hunk.old_start,
    hunk.old_lines,
    hunk.new_start,
    hunk.new_lines
  )
  local told = M.told[bufnr]
  require("tandem.documents").text(path, ":0", function(old, trouble)
    if not old then
      return require("tandem.client").say(trouble, vim.log.levels.ERROR)
    end
    if M.told[bufnr] ~= told then
      -- The text has changed meanwhile.
      return
    end
    local olds = vim.split(old:gsub("\r\n", "\n"), "\n", { plain = true })
    local lines = { title }
    for at = hunk.old_start, hunk.old_start + hunk.old_lines - 1 do
      table.insert(lines, "-" .. (olds[at] or ""))
    end
    local first, after = hunk.range.start.line, hunk.range["end"].line
    for _, text in ipairs(vim.api.nvim_buf_get_lines(bufnr, first, after, false)) do
      table.insert(lines, "+" .. text)
    end
    local winid = float.open(float.buffer(lines, "diff"), name)
    vim.api.nvim_create_autocmd({ "CursorMoved", "InsertEnter", "BufLeave" }, {
      buffer = bufnr,
      once = true,
      callback = function()
        float.close(winid)
      end,
    })
  end)
end

---Lists the hunks of all buffers in the quickfix list.
function M.quickfix()
  local items = {}
  local buffers = vim.tbl_keys(M.told)
  table.sort(buffers)
  for _, bufnr in ipairs(buffers) do
    for _, hunk in ipairs(M.told[bufnr].hunks) do
      table.insert(items, {
        bufnr = bufnr,
        lnum = math.max(hunk.range.start.line + 1, 1),
        text = ("%s: -%d +%d"):format(hunk.kind, hunk.old_lines, hunk.new_lines),
      })
    end
  end
  require("tandem.quickfix").show(items, "Hunks")
end

local has_started = false

---Shows signs from now on.
function M.start()
  if has_started then
    return
  end
  has_started = true
  vim.api.nvim_create_autocmd({ "BufWipeout", "BufUnload" }, {
    group = vim.api.nvim_create_augroup("tandem.hunks", {}),
    callback = function(event)
      M.told[event.buf] = nil
    end,
  })
end

return M
