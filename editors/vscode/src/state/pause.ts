// Delays a reaction to frequent events.

/** Acts a pause after the first of several calls; later calls do not postpone it. */
export class Pause {
  private timer: NodeJS.Timeout | undefined;

  /** `length` in milliseconds. */
  constructor(
    private readonly length: number,
    private readonly act: () => void,
  ) {}

  begin(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.act();
    }, this.length);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
