import { SingleBar } from "cli-progress";

/** Time between two lines if standard error is not a terminal (ms). Shorter work prints none. */
const INTERVAL = 3000;

/** Shows progress on standard error: as a bar on a terminal, otherwise as a line every few seconds. */
export class Progress {
  private readonly bar = new SingleBar({
    format: "{phase} {bar} {percentage}%  {value}/{total} {unit}  {speed} {unit}/s, {seconds} s left",
    barsize: 16,
    clearOnComplete: true,
    noTTYOutput: true,
    notTTYSchedule: INTERVAL,
  });
  private readonly quietUntil = process.stderr.isTTY ? 0 : performance.now() + INTERVAL;
  private phase = { name: "", began: 0, from: 0, isShown: false };

  constructor(private readonly unit: string) {}

  show(phase: string, done: number, total: number): void {
    const now = performance.now();
    if (phase !== this.phase.name) this.phase = { name: phase, began: now, from: done, isShown: false };
    const speed = (1000 * (done - this.phase.from)) / (now - this.phase.began);
    if (now < this.quietUntil || !(speed > 0)) return;
    const seconds = Math.ceil(Math.max(0, total - done) / speed);
    const payload = { phase, unit: this.unit, speed: Math.round(speed), seconds };
    if (!this.phase.isShown) this.bar.start(total, done, payload);
    this.phase.isShown = true;
    this.bar.setTotal(Math.max(total, done));
    this.bar.update(done, payload);
  }

  stop(): void {
    this.bar.stop();
  }
}
