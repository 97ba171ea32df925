-- What the project's linter finds when a file is saved, its fix as a code action, and `:Tandem run`.
package.path = vim.env.SCENARIO_LIBRARY .. "/?.lua;" .. package.path
local scenario = require("scenario")
local plugin = require("plugin")

local TEXT = [[
import os


def total(prices):
    return sum(prices)
]]

local TESTS = [[
import unittest

import shop


class TestShop(unittest.TestCase):
    def test_total(self):
        self.assertEqual(shop.total([1, 2]), 3)

    def test_total_of_one(self):
        self.assertEqual(shop.total([1]), 2)


if __name__ == "__main__":
    print("it", "ran")
]]

-- The messages of ruff in a buffer.
local function found(bufnr)
  local messages = {}
  for _, one in ipairs(vim.diagnostic.get(bufnr)) do
    if one.source == "ruff" then
      table.insert(messages, one.code)
    end
  end
  return messages
end

scenario.run(function()
  vim.fn.mkdir(scenario.root .. "/.git", "p")
  scenario.write("pyproject.toml", "[tool.ruff]\n")
  local program = ('#!/bin/sh\nexec "%s" "$@"\n'):format(vim.env.TANDEM_RUFF)
  vim.uv.fs_chmod(scenario.write(".venv/bin/ruff", program), 493)
  scenario.write("shop.py", TEXT)
  scenario.write("test_shop.py", TESTS)
  vim.g.tandem = { check_on_save = true }
  plugin.load()
  local questions = 0
  vim.ui.select = function(items, _, done)
    questions = questions + 1
    for _, item in ipairs(items) do
      if item.title == "Allow for this session" then
        return done(item)
      end
    end
    done(nil)
  end

  local bufnr = plugin.open("shop.py")
  vim.cmd.write()
  scenario.wait("ruff's warning is shown", function()
    return vim.deep_equal(found(bufnr), { "F401" })
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 7 })
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.title == "Remove unused import: `os`"
    end,
  })
  scenario.wait("the import is gone", function()
    return vim.api.nvim_buf_get_lines(bufnr, 0, 1, true)[1] == ""
  end)
  scenario.wait("and the warning with its line", function()
    return #found(bufnr) == 0
  end)
  -- Allowed for the session: no more questions.
  local asked = questions
  vim.cmd.undo()
  vim.cmd("silent write!")
  scenario.wait("it is checked again", function()
    return vim.deep_equal(found(bufnr), { "F401" })
  end)
  scenario.equal(questions, asked, "questions")

  plugin.open("test_shop.py")
  vim.fn.search("def test_total(")
  vim.cmd("Tandem run")
  plugin.wait_said("test_total passed")
  vim.fn.search("def test_total_of_one")
  vim.cmd("Tandem run")
  plugin.wait_said("test_total_of_one FAILED")
  local items = vim.fn.getqflist()
  scenario.equal({ #items, items[1].lnum }, { 1, 11 }, "the quickfix list")
  local failures = vim.tbl_filter(function(one)
    return one.source == "test"
  end, vim.diagnostic.get(0))
  scenario.equal(failures[1].lnum, 10, "the failure's line")
  scenario.equal(questions, asked, "what the person runs is not asked about")
  -- A program runs in a terminal.
  vim.fn.search("__main__")
  vim.cmd("Tandem run")
  scenario.wait("its output", function()
    if vim.bo.filetype ~= "tandem-process" then
      return false
    end
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
    return text:find("it ran", 1, true)
  end)
end)
