-- A floating window that never takes typed keys.
local M = {}

---Shows lines; the window is not entered.
---@param bufnr integer
---@param title string
---@param options? {wrap?: boolean, spare?: integer} Whether long lines wrap, and how many lines of the
---screen stay free below; 4 by default.
---@return integer winid
---@return boolean is_whole Whether everything is visible.
function M.open(bufnr, title, options)
  options = options or {}
  local width = math.min(100, math.max(20, vim.o.columns - 4))
  local lines = vim.api.nvim_buf_line_count(bufnr)
  -- The border takes two lines.
  local room = math.max(3, vim.o.lines - 2 - (options.spare or 4))
  local winid = vim.api.nvim_open_win(bufnr, false, {
    relative = "editor",
    row = 1,
    col = math.max(0, vim.o.columns - width - 2),
    width = width,
    height = math.min(math.max(lines, 1), room),
    style = "minimal",
    border = "rounded",
    title = " " .. vim.fn.strcharpart(title:gsub("%c", " "), 0, width - 4) .. " ",
    zindex = 60,
  })
  vim.wo[winid].wrap = options.wrap or false
  local tall = vim.api.nvim_win_text_height(winid, {}).all
  vim.api.nvim_win_set_height(winid, math.min(math.max(tall, 1), room))
  return winid, tall <= room
end

---A buffer that is deleted with its window.
---@param lines string[]
---@param filetype? string
---@return integer bufnr
function M.buffer(lines, filetype)
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].bufhidden = "wipe"
  vim.bo[bufnr].modifiable = false
  if filetype then
    vim.bo[bufnr].filetype = filetype
  end
  return bufnr
end

---@param winid integer?
function M.close(winid)
  if winid and vim.api.nvim_win_is_valid(winid) then
    vim.api.nvim_win_close(winid, true)
  end
end

---Runs a function when the person is not typing or answering a question, so that no key is lost.
---@param run fun()
function M.when_quiet(run)
  local function is_quiet()
    local mode = vim.api.nvim_get_mode()
    local is_normal = mode.mode == "n" or mode.mode == "nt"
    return is_normal and not mode.blocking and vim.fn.getcmdwintype() == ""
  end
  if is_quiet() then
    return run()
  end
  vim.api.nvim_create_autocmd("ModeChanged", {
    pattern = "*:n*",
    once = true,
    callback = function()
      vim.schedule(function()
        M.when_quiet(run)
      end)
    end,
  })
end

return M
