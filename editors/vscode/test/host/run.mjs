// Runs the cases in `cases/` in the real VS Code: `node run.mjs [FILTER]`. Each has a window and a
// folder of its own; a case that fails leaves a picture behind.
import * as fs from "node:fs";
import * as path from "node:path";
import { Host } from "./host.mjs";

const [filter = ""] = process.argv.slice(2);
const shots = process.env.TANDEM_SHOTS ?? path.join(import.meta.dirname, "../../out/host");
fs.mkdirSync(shots, { recursive: true });

/** Longest time of a case, in milliseconds; they take some ten seconds. */
const LIMIT = 180_000;

/** What is waited for, or the reason that it never came. */
function within(run) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${LIMIT} ms`)), LIMIT);
  });
  return Promise.race([run, late]).finally(() => clearTimeout(timer));
}

const folder = new URL("cases/", import.meta.url);
const names = fs.readdirSync(folder).filter((name) => name.endsWith(".mjs") && name.includes(filter));
const failed = [];
let count = 0;
for (const name of names.sort()) {
  const { cases, options = {} } = await import(new URL(name, folder));
  const host = await Host.start(options);
  try {
    for (const [title, { files = {}, git = false, wait = options.wait, run }] of Object.entries(cases)) {
      count += 1;
      const began = Date.now();
      const root = host.workspace(files, `${name.replace(".mjs", "")}-${count}`);
      if (git) {
        host.repository(root);
      }
      let window;
      try {
        window = await host.open(root, { wait });
        const shot = (what) => window.page.screenshot({ path: path.join(shots, `${what}.png`) });
        await within(run({ ...window, host, shot }));
        console.log(`ok    ${name}: ${title} (${Date.now() - began} ms)`);
      } catch (error) {
        failed.push(title);
        console.log(`FAIL  ${name}: ${title}\n${error.stack}`);
        const picture = `FAIL-${name}-${count}.png`;
        await window?.page.screenshot({ path: path.join(shots, picture) }).catch(() => {});
      }
      await window?.page.close().catch(() => {});
    }
  } finally {
    await host.stop();
  }
}
console.log(failed.length === 0 ? `${count} passed` : `${failed.length} of ${count} failed`);
process.exitCode = failed.length === 0 && count > 0 ? 0 : 1;
