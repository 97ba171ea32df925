// Limits how often a crashed server is restarted.

/** Crashes within the window after which it is not restarted. */
export const MOST = 5;
/** Milliseconds. */
export const WINDOW = 180_000;

export class Restarts {
  private deaths: number[] = [];

  /** Milliseconds to wait before the next start; undefined after too many crashes. */
  died(now: number): number | undefined {
    this.deaths = this.deaths.filter((at) => now - at < WINDOW);
    this.deaths.push(now);
    if (this.deaths.length >= MOST) {
      return undefined;
    }
    // The first crash is probably a kill, later ones a recurring fault.
    return this.deaths.length === 1 ? 0 : 250 * 2 ** (this.deaths.length - 2);
  }

  /** Forgets earlier crashes, because a person started the server. */
  forget(): void {
    this.deaths = [];
  }
}
