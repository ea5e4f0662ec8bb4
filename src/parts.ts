/** Stands for one part of the program. */
type Token<Part> = symbol & { readonly part?: Part };

export const token = <Part>(name: string): Token<Part> => Symbol(name);

/**
 * Says how to make a part.
 *
 * @param needs the parts that `make` gets, by name
 * @param close closes the part that `make` has made
 */
export type Register = <Part, Needs extends Readonly<Record<string, Token<unknown>>>, Made extends Part>(
  token: Token<Part>,
  needs: Needs,
  make: (parts: PartsOf<Needs>) => Made | Promise<Made>,
  close?: (made: Made) => unknown,
) => void;

/** Closes a part that an operator may not have turned on. */
export const closePart = (part: { close(): unknown } | undefined): unknown => part?.close();

/** Registers parts that replace those of the same token, before any part is made. */
export type Override = (register: Register) => void;

type PartsOf<Needs> = { [Name in keyof Needs]: Needs[Name] extends Token<infer Part> ? Part : never };

/**
 * The two methods of the container that this module uses. It holds promises of parts: some take time to open.
 */
interface Container {
  register(token: symbol, provider: { useFactory: (container: never) => Promise<unknown> }): unknown;
  resolve<Part>(token: symbol): Promise<Part>;
}

/** The parts of one program in a container of their own. Remembers which of them to close. */
export class Parts {
  private readonly closings: (() => unknown)[] = [];

  constructor(
    private readonly container: Container,
    /** Wraps a factory so that it makes its part once for each container. */
    private readonly once: <Part>(factory: () => Part) => (container: never) => Part,
  ) {}

  /** If a token is registered twice, the last registration counts. */
  readonly register: Register = (token, needs, make, close) => {
    const useFactory = this.once(async () => {
      const parts: Record<string, unknown> = {};
      for (const [name, need] of Object.entries(needs)) parts[name] = await this.get(need);
      const part = await make(parts as never);
      if (close) this.closings.push(() => close(part));
      return part;
    });
    this.container.register(token, { useFactory });
  };

  get<Part>(token: Token<Part>): Promise<Part> {
    return this.container.resolve(token);
  }

  /**
   * Makes every part, so that a missing wire fails the start. If one fails, closes those that are open.
   */
  async makeAll(tokens: readonly Token<unknown>[]): Promise<void> {
    try {
      for (const token of tokens) await this.get(token);
    } catch (error) {
      await this.close().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Closes the open parts once, one after the other, in reverse order.
   *
   * @throws the first error that a part threw; the others are closed all the same
   */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.closings.splice(0).reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
