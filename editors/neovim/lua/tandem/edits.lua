-- Marks edits by tools in visible buffers for some seconds. If a person undoes one in a buffer, offers to
-- undo it in its other files.
local buffers = require("tandem.buffers")

local M = {}

local namespace = vim.api.nvim_create_namespace("tandem.edits")
-- Limit of the edits remembered for one buffer.
local MOST = 50

---An edit of several files, one of which is in a buffer.
---@class tandem.SharedEdit
---@field action string The id for `undo_action`.
---@field title string
---@field after integer The buffer's undo sequence after the edit.
---@field files string[]
---@field client_id integer

---@type table<integer, tandem.SharedEdit[]> By buffer.
local shared = {}
---@type table<integer, true> Buffers whose changes are observed.
local watched = {}
---@type table<integer, integer> How often each buffer was marked.
local marked = {}

local function set_highlight()
  vim.api.nvim_set_hl(0, "TandemEdit", { link = "DiffText", default = true })
end

local function sequence(bufnr)
  return vim.fn.undotree(bufnr).seq_cur
end

-- The lines of edits after they are applied, as {first, last}, 0-based and inclusive.
---@param edits lsp.TextEdit[]
local function lines_of(edits)
  local sorted = vim.deepcopy(edits)
  table.sort(sorted, function(a, b)
    return a.range.start.line < b.range.start.line
      or (
        a.range.start.line == b.range.start.line
        and a.range.start.character < b.range.start.character
      )
  end)
  local found, moved = {}, 0
  for _, edit in ipairs(sorted) do
    local _, new = edit.newText:gsub("\n", "")
    local first = edit.range.start.line + moved
    -- A text that ends with a line break does not include the next line.
    local ends = new > 0 and vim.endswith(edit.newText, "\n") and edit.range["end"].character == 0
    table.insert(found, { first, first + new - (ends and 1 or 0) })
    moved = moved + new - (edit.range["end"].line - edit.range.start.line)
  end
  return found
end

-- Marks the edited lines of a visible buffer.
local function mark(bufnr, edits, seconds)
  set_highlight()
  local count = vim.api.nvim_buf_line_count(bufnr)
  local lines = 0
  for _, part in ipairs(lines_of(edits)) do
    for line = math.max(part[1], 0), math.min(part[2], count - 1) do
      vim.api.nvim_buf_set_extmark(bufnr, namespace, line, 0, {
        line_hl_group = "TandemEdit",
        sign_text = "▎",
        sign_hl_group = "TandemEdit",
      })
      lines = lines + 1
    end
  end
  marked[bufnr] = (marked[bufnr] or 0) + 1
  local turn = marked[bufnr]
  vim.defer_fn(function()
    -- A later edit has its own timer.
    if marked[bufnr] == turn and vim.api.nvim_buf_is_valid(bufnr) then
      vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
      marked[bufnr] = nil
    end
  end, seconds * 1000)
  return lines
end

---Marks edits after they were applied; `changes` are LSP's `documentChanges`.
---@param changes table[]
function M.made(changes)
  local settings = require("tandem.settings")
  local seconds = settings.current().mark_edits
  -- With review, the person has just seen them.
  if seconds <= 0 or settings.of_server().review == "always" then
    return
  end
  local told = {}
  for _, change in ipairs(changes) do
    local document = change.textDocument
    local bufnr = document and buffers.of_file(vim.uri_to_fname(document.uri))
    if bufnr and #vim.fn.win_findbuf(bufnr) > 0 then
      local lines = mark(bufnr, change.edits, seconds)
      local name = vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))
      table.insert(told, ("%s, %d line%s"):format(name, lines, lines == 1 and "" or "s"))
    end
  end
  -- A single line does not wait for a key. It is not kept in the history.
  local text = "tandem edited " .. table.concat(told, "; ")
  if #told > 0 and vim.fn.mode() ~= "c" then
    local space = math.max(vim.v.echospace - 1, 10)
    vim.api.nvim_echo({ { vim.fn.strcharpart(text, 0, space), "Comment" } }, false, {})
  end
end

local function offer(bufnr, edit)
  local own = vim.api.nvim_buf_get_name(bufnr)
  local others = {}
  for _, file in ipairs(edit.files) do
    if vim.uri_to_fname(file) ~= own then
      table.insert(others, vim.fs.basename(vim.uri_to_fname(file)))
    end
  end
  vim.ui.select({ { "Undo it there as well", true }, { "Leave them as they are" } }, {
    prompt = ("%s changed %s, too"):format(edit.title, table.concat(others, ", ")),
    format_item = function(choice)
      return choice[1]
    end,
  }, function(choice)
    local client = vim.lsp.get_client_by_id(edit.client_id)
    if choice and choice[2] and client then
      -- The file that is already undone here no longer matches the action's result.
      require("tandem.activity").undo(edit.action, client, "skip")
    end
  end)
end

-- Whether a person has undone an edit in a buffer.
local function look(bufnr)
  local now, kept = sequence(bufnr), {}
  local undone
  for _, edit in ipairs(shared[bufnr] or {}) do
    if now < edit.after then
      undone = edit
    else
      table.insert(kept, edit)
    end
  end
  shared[bufnr] = kept
  if undone then
    M.forget(undone.action)
    vim.schedule(function()
      offer(bufnr, undone)
    end)
  end
end

---Forgets an edit that was undone.
---@param action string
function M.forget(action)
  for bufnr, edits in pairs(shared) do
    shared[bufnr] = vim.tbl_filter(function(edit)
      return edit.action ~= action
    end, edits)
  end
end

local group = vim.api.nvim_create_augroup("tandem.edits", {})

-- Checks a buffer after each change of its text, and forgets edits that its undo history no longer has.
local function watch(bufnr)
  if watched[bufnr] then
    return
  end
  watched[bufnr] = true
  vim.api.nvim_create_autocmd("TextChanged", {
    group = group,
    buffer = bufnr,
    callback = function()
      look(bufnr)
    end,
  })
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufUnload", "BufWipeout" }, {
    group = group,
    buffer = bufnr,
    callback = function()
      shared[bufnr] = nil
    end,
  })
end

---Called when a tool has ended: remembers which buffers share its edit.
---@param call tandem.Activity
---@param client_id integer
function M.called(call, client_id)
  if call.state ~= "done" or not call.action or call.tool == "undo_action" then
    return
  end
  if #call.files < 2 then
    return
  end
  for _, file in ipairs(call.files) do
    local bufnr = buffers.of_file(vim.uri_to_fname(file))
    if bufnr then
      local edits = shared[bufnr] or {}
      watch(bufnr)
      table.insert(edits, {
        action = tostring(call.action),
        title = call.title,
        after = sequence(bufnr),
        files = call.files,
        client_id = client_id,
      })
      if #edits > MOST then
        table.remove(edits, 1)
      end
      shared[bufnr] = edits
    end
  end
end

return M
