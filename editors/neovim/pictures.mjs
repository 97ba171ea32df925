// Takes the pictures of docs/images: `node pictures.mjs FOLDER [PROJECT]`. Needs tmux and chromium, and nvim and
// tandem on the PATH. The screens are those of a real Neovim in tmux, painted by the browser. PROJECT is a
// fresh React project made by `npm create vite` (template react-ts); without it that picture is omitted.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";

const [target, project] = process.argv.slice(2);
const [columns, rows] = [100, 28];
const work = mkdtempSync(path.join(tmpdir(), "tandem-pictures-"));
const socket = path.join(work, "tmux");
const env = { ...process.env, HOME: work, XDG_STATE_HOME: `${work}/state`, XDG_CACHE_HOME: `${work}/cache`, LANG: "C.UTF-8", COLORTERM: "truecolor" };
const tmux = (...args) => execFileSync("tmux", ["-S", socket, ...args], { env }).toString();
const keys = (...args) => tmux("send-keys", ...args);
const type = (text) => tmux("send-keys", "-l", text);
const line = (text) => {
  type(text);
  keys("Enter");
};
const screen = () => tmux("capture-pane", "-p");
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (needle) => {
  for (let wait = 0; wait < 200; wait++) {
    if (screen().includes(needle)) {
      return pause(300);
    }
    await pause(100);
  }
  throw new Error(`waited for ${needle}:\n${screen()}`);
};

const BASIC = ["#1d2433", "#c94f6d", "#81b29a", "#dbc074", "#719cd6", "#9d79d6", "#63cdcf", "#dfdfe0"];
const BRIGHT = ["#575860", "#d16983", "#8ebaa4", "#e0c989", "#86abdc", "#baa1e2", "#7ad5d6", "#e4e4e5"];
const [INK, PAPER] = ["#e0e2ea", "#14161b"];

function indexed(number) {
  if (number < 16) {
    return [...BASIC, ...BRIGHT][number];
  }
  if (number > 231) {
    const grey = 8 + (number - 232) * 10;
    return `rgb(${grey},${grey},${grey})`;
  }
  const step = (n) => (n === 0 ? 0 : 55 + n * 40);
  const at = number - 16;
  return `rgb(${step(Math.floor(at / 36))},${step(Math.floor(at / 6) % 6)},${step(at % 6)})`;
}

/** Renders terminal output as a page. */
function page(text) {
  let style = {};
  const set = (codes) => {
    for (let at = 0; at < codes.length; at++) {
      const code = codes[at];
      const of = code >= 40 && code < 50 ? "back" : "fore";
      if (code === 0) style = {};
      else if (code === 1) style.bold = true;
      else if (code === 3) style.italic = true;
      else if (code === 4) style.under = true;
      else if (code === 7) style.turned = true;
      else if (code === 27) style.turned = false;
      else if (code === 22) style.bold = false;
      else if (code === 38 || code === 48) {
        if (codes[at + 1] === 2) {
          style[of] = `rgb(${codes.slice(at + 2, at + 5).join(",")})`;
          at += 4;
        } else {
          style[of] = indexed(codes[at + 2]);
          at += 2;
        }
      } else if (code === 39) delete style.fore;
      else if (code === 49) delete style.back;
      else if (code >= 30 && code < 48) style[of] = BASIC[code % 10];
      else if (code >= 90 && code < 98) style.fore = BRIGHT[code - 90];
      else if (code >= 100 && code < 108) style.back = BRIGHT[code - 100];
    }
  };
  const span = (part) => {
    const { fore = INK, back = PAPER, turned } = style;
    const [ink, paper] = turned ? [back, fore] : [fore, back];
    const more = `${style.bold ? "font-weight:bold;" : ""}${style.italic ? "font-style:italic;" : ""}${style.under ? "text-decoration:underline;" : ""}`;
    const safe = part.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    return part === "" ? "" : `<span style="color:${ink};background:${paper};${more}">${safe}</span>`;
  };
  const lines = text.split("\n").map((each) => {
    const parts = each.split(/\x1b\[([\d;:]*)m/);
    let out = "";
    parts.forEach((part, index) => {
      if (index % 2 === 1) {
        set((part === "" ? "0" : part).split(/[;:]/).map(Number));
      } else {
        out += span(part.replace(/\x1b[()][A-Z0-9]|[\x0e\x0f]/g, ""));
      }
    });
    return `<div>${out}&nbsp;</div>`;
  });
  return `<meta charset="utf-8"><style>body{margin:12px;background:${PAPER}}div{font:15px/20px "DejaVu Sans Mono",monospace;white-space:pre;height:20px}span{display:inline-block;height:20px}</style>${lines.join("")}`;
}

function shot(name) {
  const file = path.join(work, "page.html");
  writeFileSync(file, page(tmux("capture-pane", "-p", "-e").replace(/\n$/, "")));
  const size = `--window-size=${columns * 9 + 40},${rows * 20 + 30}`;
  const picture = `--screenshot=${path.resolve(target, `${name}.png`)}`;
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"];
  execFileSync(process.env.CHROMIUM ?? "chromium", [...flags, size, picture, `file://${file}`], { stdio: "ignore" });
  console.log(name);
}

const CODE = `def total(prices):
    return sum(prices)


def mean(prices):
    return total(prices) / len(prices)


print(mean([1, 2]))
`;
const EDITS =
  'edits={{path="shop.py", patches={{old_text="def total(prices):", new_text="def total(prices: list[int]) -> int:"}, ' +
  '{old_text="    return total(prices) / len(prices)", new_text="    if not prices:\\n        return 0\\n    return total(prices) / len(prices)"}}}, ' +
  '{path="main.py", patches={{old_text="[1, 2]", new_text="[1, 2, 3]"}}}}';

function open(folder, file) {
  const nvim = `nvim --clean --cmd 'set rtp^=${import.meta.dirname} noswapfile shortmess+=I termguicolors' ${file}`;
  tmux("-f", "/dev/null", "new-session", "-d", "-x", String(columns), "-y", String(rows), "-c", folder, nvim);
  tmux("set", "-g", "default-terminal", "tmux-256color");
  tmux("set", "-sa", "terminal-overrides", ",*:Tc");
}

const STATUS = ":set statusline=%f\\ %m%=%{v:lua.require'tandem'.statusline()} laststatus=2 number";

/** A component of a fresh project, with one mistake typed into it. */
async function react() {
  const folder = path.join(work, "react");
  cpSync(project, folder, { recursive: true });
  mkdirSync(path.join(folder, ".git"));
  open(folder, "src/App.tsx");
  await until("useState");
  line(STATUS);
  line(":lua vim.diagnostic.config({ virtual_text = { severity = { min = vim.diagnostic.severity.WARN } } })");
  await until("tandem");
  line(":call append(8, '  useEfect(() => document.title = `AT&T ${count}`)')");
  await until("not defined");
  keys("C-l");
  await pause(400);
  shot("nvim-react");
  tmux("kill-server");
}

try {
  mkdirSync(target, { recursive: true });
  if (project) await react();
  mkdirSync(path.join(work, "shop/.git"), { recursive: true });
  const folder = path.join(work, "shop");
  writeFileSync(path.join(folder, "shop.py"), CODE);
  writeFileSync(path.join(folder, "main.py"), "from shop import mean\n\nprint(mean([1, 2]))\n");
  open(folder, "shop.py");
  await until("def mean");
  line(STATUS);
  await until("tandem");
  line(":Tandem review on");
  await pause(800);
  line(`:lua require("tandem").tools.apply_edit({${EDITS}}, {on_done=function() end})`);
  await until("hunk 2");
  keys("C-l");
  await pause(400);
  shot("nvim-review");
  line(":Tandem review apply");
  await pause(1500);
  line(":Tandem review off");
  line(':lua require("tandem").tools.read_file({path="lost.py"}, {on_done=function() end})');
  await pause(500);
  line(':lua require("tandem").tools.run_command({command="python3 -m pytest -q\\npython3 main.py"}, {on_done=function() end})');
  await until("Allow once");
  shot("nvim-approval");
  line("1");
  await pause(1500);
  keys("Enter");
  line(":Tandem activity");
  await until("apply_edit");
  shot("nvim-activity");
} finally {
  try {
    tmux("kill-server");
  } catch {}
  rmSync(work, { recursive: true, force: true });
}
