// Which commands a server program has, according to its help: older ones lack some.
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const known = new Map<string, Promise<boolean>>();

/** Whether a program has a command. A yes is cached; a program without it may be updated. */
export async function hasCommand(file: string, name: string): Promise<boolean> {
  const key = `${name} ${file}`;
  const asked = known.get(key) ?? ask(file, name);
  known.set(key, asked);
  const has = await asked;
  if (!has) {
    known.delete(key);
  }
  return has;
}

async function ask(file: string, name: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(file, ["--help"], { timeout: 5_000 });
    return new RegExp(`^\\s+${name}\\s`, "m").test(stdout);
  } catch {
    return false;
  }
}
