-- Approvals: a window shows the complete text, `vim.ui.select` offers the answers. One question is open
-- at a time, and none opens while a person types.
local float = require("tandem.float")

local M = {}

---@class tandem.Question
---@field params {message: string, actions?: {title: string}[]} Of `window/showMessageRequest`.
---@field routine thread The coroutine that waits for the answer.
---@field client_id integer
---@field is_over boolean
---@field is_read boolean Whether a text that is too long for the screen has been read.
---@field winid? integer

---@type tandem.Question[]
local queue = {}
local is_asking = false

-- An additional answer if the text is too long for the screen.
local READ = { title = "Read it in full" }

local ask, next_one

---@param question tandem.Question
---@param action? {title: string} Nil if the person chose none, which means no.
local function answer(question, action)
  if question.is_over then
    return
  end
  question.is_over = true
  float.close(question.winid)
  for index, one in ipairs(queue) do
    if one == question then
      table.remove(queue, index)
      is_asking = is_asking and index > 1
      break
    end
  end
  require("tandem.routines").resume(question.routine, action or vim.NIL)
  vim.schedule(next_one)
end

-- Opens the text in a window, and asks when that is closed.
local function read(question)
  float.close(question.winid)
  vim.cmd("botright new")
  question.winid = vim.api.nvim_get_current_win()
  local bufnr = float.buffer(vim.split(question.params.message, "\n"))
  vim.api.nvim_win_set_buf(question.winid, bufnr)
  vim.wo.wrap = true
  -- A message would wait for a key.
  vim.wo.winbar = "tandem asks for leave: q closes the text, and then you are asked"
  vim.keymap.set("n", "q", "<Cmd>close<CR>", { buffer = bufnr, nowait = true, desc = "Answer" })
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = bufnr,
    once = true,
    callback = function()
      question.is_read = true
      vim.schedule(function()
        ask(question)
      end)
    end,
  })
end

---@param question tandem.Question
ask = function(question)
  float.when_quiet(function()
    if question.is_over then
      return
    end
    local lines = vim.split(question.params.message, "\n")
    local items = question.params.actions or {}
    local is_whole
    -- The answers are below the text.
    local options = { wrap = true, spare = #items + 4 }
    question.winid, is_whole = float.open(float.buffer(lines), "tandem asks for leave", options)
    if not is_whole and not question.is_read then
      -- A text that was not read in full can be denied, not allowed.
      items = vim.tbl_filter(function(action)
        return action.title == "Deny"
      end, items)
      table.insert(items, 1, READ)
    end
    vim.cmd.redraw()
    local first = lines[1] or ""
    local ok, trouble = pcall(vim.ui.select, items, {
      prompt = vim.fn.strchars(first) > 200 and vim.fn.strcharpart(first, 0, 200) .. "…" or first,
      kind = "tandem",
      format_item = function(action)
        return action.title
      end,
    }, function(action)
      if action == READ and not question.is_over then
        return read(question)
      end
      answer(question, action)
    end)
    if not ok then
      require("tandem.client").say(tostring(trouble), vim.log.levels.ERROR)
      answer(question, nil)
    end
  end)
end

next_one = function()
  if not is_asking and queue[1] then
    is_asking = true
    ask(queue[1])
  end
end

---Asks a question of the server and yields until the person answers.
---@param params table Of `window/showMessageRequest`.
---@param context lsp.HandlerContext
---@return table|vim.NIL
function M.asked(params, context)
  local routine, is_main = coroutine.running()
  if not routine or is_main then
    return vim.NIL
  end
  ---@type tandem.Question
  local question = {
    params = params,
    routine = routine,
    client_id = context.client_id,
    is_over = false,
    is_read = false,
  }
  table.insert(queue, question)
  if vim.api.nvim_get_mode().mode:sub(1, 1) ~= "n" then
    require("tandem.client").say("an approval waits; it opens once you have left this mode")
  end
  vim.schedule(next_one)
  return coroutine.yield()
end

---@return boolean
function M.is_open()
  return #queue > 0
end

---The number of a server's open questions.
---@param id integer
---@return integer
function M.count(id)
  return #vim.tbl_filter(function(question)
    return question.client_id == id
  end, queue)
end

---Withdraws the questions of a server that has ended or cancelled them.
---@param id integer
function M.ended(id)
  for _, question in ipairs(vim.list_slice(queue)) do
    if question.client_id == id then
      answer(question, nil)
    end
  end
end

return M
