-- Leave, asked for with its full text: the text stands in a window of its own, the answers are
-- offered by `vim.ui.select`. One question at a time, and never while a person types.
local float = require("tandem.float")

local M = {}

---@class tandem.Question
---@field params table
---@field answer fun(action: table?)
---@field winid? integer
---@field is_over boolean
---@field client_id integer

---@type tandem.Question[]
local queue = {}
local is_asking = false

local function next_one()
  if is_asking or #queue == 0 then
    return
  end
  is_asking = true
  local question = queue[1]
  float.when_quiet(function()
    if question.is_over then
      is_asking = false
      return next_one()
    end
    local lines = vim.split(question.params.message, "\n")
    question.winid = float.open(float.buffer(lines), "tandem asks for leave")
    vim.cmd.redraw()
    local first = lines[1] or ""
    vim.ui.select(question.params.actions or {}, {
      prompt = #first > 200 and first:sub(1, 200) .. "…" or first,
      kind = "tandem",
      format_item = function(action)
        return action.title
      end,
    }, function(action)
      question.answer(action)
    end)
  end)
end

local function over(question, action)
  if question.is_over then
    return
  end
  question.is_over = true
  float.close(question.winid)
  for index, one in ipairs(queue) do
    if one == question then
      table.remove(queue, index)
      break
    end
  end
  is_asking = false
  coroutine.resume(question.routine, action or vim.NIL)
  vim.schedule(next_one)
end

---A question of the server; answered once the person has.
function M.asked(params, context)
  local routine, is_main = coroutine.running()
  if not routine or is_main then
    return vim.NIL
  end
  local question =
    { params = params, routine = routine, client_id = context.client_id, is_over = false }
  question.answer = function(action)
    over(question, action)
  end
  table.insert(queue, question)
  if vim.api.nvim_get_mode().mode:sub(1, 1) ~= "n" then
    require("tandem.client").say("asks for leave, once you have left this mode")
  end
  vim.schedule(next_one)
  return coroutine.yield()
end

---@return boolean
function M.is_open()
  return #queue > 0
end

---The questions of a server that has ended.
---@param id integer
function M.ended(id)
  for _, question in ipairs(vim.list_slice(queue)) do
    if question.client_id == id then
      question.answer(nil)
    end
  end
end

---The one question that is open is not wanted any more.
function M.taken_back()
  if #queue == 1 then
    queue[1].answer(nil)
  end
end

return M
