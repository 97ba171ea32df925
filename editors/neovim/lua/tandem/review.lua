-- Reviews of changes before they are made: a window shows the diff, from which hunks and files can be
-- excluded. It does not take the cursor, so that typed keys go where they were meant to.
local float = require("tandem.float")

local M = {}

local namespace = vim.api.nvim_create_namespace("tandem.review")

-- Context lines of a hunk.
local CONTEXT = 3

---@class tandem.Review
---@field params table Of `tandem/review`.
---@field routine thread
---@field client_id integer
---@field taken table<integer, table<integer, boolean>> The included hunks, by file and hunk, 1-based.
---@field rows table<integer, {file: integer, hunk?: integer}> The file and hunk of each line.
---@field bufnr? integer
---@field winid? integer

---@type tandem.Review[]
local queue = {}

---The review that is open, if any.
---@return tandem.Review?
function M.current()
  return queue[1]
end

local function split(text)
  local lines = vim.split(text, "\n", { plain = true })
  if lines[#lines] == "" then
    table.remove(lines)
  end
  return lines
end

local function name_of(file)
  local name = vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ":~:.")
  local to = file.moved_to and " -> " .. vim.fn.fnamemodify(vim.uri_to_fname(file.moved_to), ":~:.")
  return name .. (to or "") .. (file.action and (" (%s)"):format(file.action) or "")
end

-- The lines of a review, with the file and hunk of each.
local function lines_of(review)
  local lines, rows = {}, {}
  local function put(text, file, hunk)
    table.insert(lines, (text:gsub("[\r\n]", "")))
    rows[#lines] = { file = file, hunk = hunk }
  end
  for number, file in ipairs(review.params.files) do
    -- A file without hunks has its own mark.
    local mark = review.taken[number][0] ~= false and "[x] " or "[ ] "
    put((#file.hunks == 0 and mark or "=== ") .. name_of(file), number)
    local old, new = split(file.old_text), split(file.new_text)
    for index, hunk in ipairs(file.hunks) do
      local box = review.taken[number][index] and "[x]" or "[ ]"
      local told = ("@@ -%d,%d +%d,%d @@"):format(
        hunk.old_start,
        hunk.old_lines,
        hunk.new_start,
        hunk.new_lines
      )
      put(("%s hunk %d %s"):format(box, index, told), number, index)
      -- An empty range is named by the line before.
      local first = hunk.old_start + (hunk.old_lines == 0 and 1 or 0)
      for at = math.max(1, first - CONTEXT), first - 1 do
        put(" " .. (old[at] or ""), number, index)
      end
      for at = first, first + hunk.old_lines - 1 do
        put("-" .. (old[at] or ""), number, index)
      end
      local from = hunk.new_start + (hunk.new_lines == 0 and 1 or 0)
      for at = from, from + hunk.new_lines - 1 do
        put("+" .. (new[at] or ""), number, index)
      end
      local after = first + hunk.old_lines
      for at = after, math.min(#old, after + CONTEXT - 1) do
        put(" " .. old[at], number, index)
      end
    end
  end
  return lines, rows
end

local function draw(review)
  if not (review.bufnr and vim.api.nvim_buf_is_valid(review.bufnr)) then
    -- It is hidden; it is drawn when shown again.
    return
  end
  local lines, rows = lines_of(review)
  review.rows = rows
  vim.bo[review.bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(review.bufnr, 0, -1, false, lines)
  vim.bo[review.bufnr].modifiable = false
  vim.api.nvim_buf_clear_namespace(review.bufnr, namespace, 0, -1)
  for index, line in ipairs(lines) do
    local row = rows[index]
    local is_taken = review.taken[row.file][row.hunk or 0] ~= false
    local group
    if vim.startswith(line, "=== ") then
      group = "Title"
    elseif line:match("^%[.%] ") then
      group = is_taken and "DiffChange" or "Comment"
    elseif line:sub(1, 1) == "+" then
      group = is_taken and "DiffAdd" or "Comment"
    elseif line:sub(1, 1) == "-" then
      group = is_taken and "DiffDelete" or "Comment"
    end
    if group then
      vim.api.nvim_buf_set_extmark(review.bufnr, namespace, index - 1, 0, { line_hl_group = group })
    end
  end
end

local open

local function over(review, answer)
  for index, one in ipairs(queue) do
    if one == review then
      table.remove(queue, index)
      float.close(review.winid)
      require("tandem.routines").resume(review.routine, answer)
      vim.schedule(function()
        if queue[1] and not queue[1].bufnr then
          open(queue[1])
        end
      end)
      return
    end
  end
end

-- The hunk at the cursor of the review's window.
local function at_cursor(review)
  if not review.winid or not vim.api.nvim_win_is_valid(review.winid) then
    return nil
  end
  return review.rows[vim.api.nvim_win_get_cursor(review.winid)[1]]
end

---Accepts everything.
function M.accept()
  local review = queue[1]
  if review then
    over(review, { accept = true })
  end
end

---Rejects everything.
function M.reject()
  local review = queue[1]
  if review then
    over(review, { accept = false })
  end
end

---Accepts what is marked.
function M.apply()
  local review = queue[1]
  if not review then
    return
  end
  local files, is_all = {}, true
  for number, file in ipairs(review.params.files) do
    local hunks, is_whole = {}, review.taken[number][0] ~= false
    for index in ipairs(file.hunks) do
      if review.taken[number][index] then
        table.insert(hunks, index - 1)
      else
        is_whole = false
      end
    end
    is_all = is_all and is_whole
    if #hunks > 0 or (#file.hunks == 0 and is_whole) then
      table.insert(files, { uri = file.uri, hunks = hunks })
    end
  end
  if is_all then
    return over(review, { accept = true })
  end
  over(review, #files > 0 and { accept = true, files = files } or { accept = false })
end

---Includes or excludes a hunk: the one at the cursor, or those given.
---@param file? integer 1-based
---@param hunk? integer 1-based; without it the whole file
function M.toggle(file, hunk)
  local review = queue[1]
  if not review then
    return
  end
  if not file then
    local row = at_cursor(review)
    if not row then
      return
    end
    file, hunk = row.file, row.hunk
  end
  local taken = review.taken[file]
  if not taken then
    return
  end
  if hunk then
    taken[hunk] = not taken[hunk]
  else
    local is_any = taken[0] ~= false
    for index in ipairs(review.params.files[file].hunks) do
      is_any = is_any and taken[index]
    end
    taken[0] = not is_any
    for index in ipairs(review.params.files[file].hunks) do
      taken[index] = not is_any
    end
  end
  draw(review)
end

---Includes or excludes the file at the cursor.
function M.toggle_file()
  local review = queue[1]
  local row = review and at_cursor(review)
  if row then
    M.toggle(row.file)
  end
end

---Moves the cursor to the review's window.
function M.focus()
  local review = queue[1]
  if not review then
    return require("tandem.client").say("there is nothing to review")
  end
  if not review.winid or not vim.api.nvim_win_is_valid(review.winid) then
    review.bufnr = nil
    open(review)
  end
  vim.api.nvim_set_current_win(review.winid)
end

---@param forward boolean
local function jump(forward)
  vim.fn.search("^\\[.\\] ", forward and "W" or "bW")
end

open = function(review)
  review.bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[review.bufnr].bufhidden = "wipe"
  draw(review)
  review.winid = float.open(review.bufnr, review.params.title .. "  (:Tandem review)")
  local function key(keys, run, what)
    vim.keymap.set("n", keys, run, { buffer = review.bufnr, nowait = true, desc = what })
  end
  key("a", M.accept, "Take all of it")
  key("r", M.reject, "Take nothing of it")
  key("<CR>", M.apply, "Take what is marked")
  key("<Space>", M.toggle, "Take or leave out the hunk")
  key("f", M.toggle_file, "Take or leave out the file")
  key("]c", function()
    jump(true)
  end, "Next hunk")
  key("[c", function()
    jump(false)
  end, "Previous hunk")
  key("q", function()
    float.close(review.winid)
  end, "Hide; :Tandem review shows it again")
  vim.cmd.redraw()
end

---Shows a change and yields until the person has decided.
---@param params table Of `tandem/review`.
---@param context lsp.HandlerContext
---@return table answer
function M.asked(params, context)
  local routine, is_main = coroutine.running()
  if not routine or is_main then
    return { accept = false }
  end
  local review =
    { params = params, routine = routine, client_id = context.client_id, taken = {}, rows = {} }
  for number, file in ipairs(params.files) do
    review.taken[number] = {}
    for index in ipairs(file.hunks) do
      review.taken[number][index] = true
    end
  end
  table.insert(queue, review)
  vim.schedule(function()
    if queue[1] == review and not review.bufnr then
      open(review)
      vim.api.nvim_exec_autocmds("User", { pattern = "TandemReview", modeline = false })
      -- A message wider than the screen would wait for a key.
      local space = math.max(vim.v.echospace - #"tandem: review … (:Tandem review)", 10)
      local title = params.title
      title = vim.fn.strchars(title) > space and vim.fn.strcharpart(title, 0, space) .. "…"
        or title
      require("tandem.client").say(("review %s (:Tandem review)"):format(title))
    end
  end)
  return coroutine.yield()
end

---Closes the reviews of a server that has ended or cancelled them.
---@param id integer
function M.ended(id)
  for _, review in ipairs(vim.list_slice(queue)) do
    if review.client_id == id then
      over(review, { accept = false })
    end
  end
end

---The number of a server's open reviews.
---@param id integer
---@return integer
function M.count(id)
  return #vim.tbl_filter(function(review)
    return review.client_id == id
  end, queue)
end

return M
