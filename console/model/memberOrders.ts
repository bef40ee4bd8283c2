/** Sends commands to members, and reports what became of them. */
export interface OrderSender<Command> {
  /** Resolves when the command was carried out. */
  send(command: Command, id: string): Promise<void>;
  /** Whether the member has the commanded state; false if unknown. */
  carriedOut(command: Command, id: string): Promise<boolean>;
  /** Whether this error is the server's answer, which a repetition would get again. */
  isAnswer(error: unknown): boolean;
  wait(ms: number): Promise<void>;
}

const againMs = 500;
const attemptsMax = 5;

/**
 * Sends commands to members, and repeats one whose connection broke before its outcome was known: it may lead to the very member that the command stops. A
 * later command for a member replaces an earlier one.
 */
export class MemberOrders<Command> {
  readonly #sender: OrderSender<Command>;
  readonly #given = new Map<string, number>();

  constructor(sender: OrderSender<Command>) {
    this.#sender = sender;
  }

  /** Resolves with false when another command for this member came before the outcome of this one was known. */
  async give(command: Command, id: string): Promise<boolean> {
    const own = (this.#given.get(id) ?? 0) + 1;
    this.#given.set(id, own);
    const isLatest = (): boolean => this.#given.get(id) === own;
    for (let attempt = 1; isLatest(); attempt++) {
      try {
        await this.#sender.send(command, id);
        return true;
      } catch (error) {
        if (this.#sender.isAnswer(error) || attempt === attemptsMax) throw error;
      }
      await this.#sender.wait(againMs);
      if (isLatest() && (await this.#sender.carriedOut(command, id))) return true;
    }
    return false;
  }
}
