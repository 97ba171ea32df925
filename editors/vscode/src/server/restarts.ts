// How often a server that died is started again.

/** Deaths within the window after which it stays down. */
export const MOST = 5;
/** Milliseconds. */
export const WINDOW = 180_000;

export class Restarts {
  private deaths: number[] = [];

  /** Milliseconds to wait before the next start; undefined when it has died too often. */
  died(now: number): number | undefined {
    this.deaths = this.deaths.filter((at) => now - at < WINDOW);
    this.deaths.push(now);
    if (this.deaths.length >= MOST) {
      return undefined;
    }
    // The first is likely a kill, the later ones rather a fault that comes back.
    return this.deaths.length === 1 ? 0 : 250 * 2 ** (this.deaths.length - 2);
  }

  /** A person started it: what was before does not count. */
  forget(): void {
    this.deaths = [];
  }
}
