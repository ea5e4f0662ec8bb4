import type { PageRequest, Reads } from "./reads.js";

/** Walks through the whole catalogue page by page, again and again. */
export class Walk {
  private next: PageRequest | undefined;
  private busy = false;
  /** How often it has come to the end. */
  finished = 0;

  constructor(
    private readonly reads: Reads,
    private readonly status: string | undefined,
    private readonly limit: number,
  ) {}

  /** Reads one page. If it gets no answer, the next step asks for the same page. */
  async step(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    const request = this.next ?? this.first();
    const result = await this.reads.page(request);
    this.next = result === undefined ? undefined : result === "failed" ? request : result;
    if (result === undefined) this.finished += 1;
    this.busy = false;
  }

  private first(): PageRequest {
    const { status, limit } = this;
    return { path: `/v1/pets?limit=${limit}${status ? `&status=${status}` : ""}`, status, limit, after: 0 };
  }
}
