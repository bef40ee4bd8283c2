/**
 * Where a value lies below a variable: `self`, `spec`, `@items`.
 *
 * The reference keeps such places in slices of Go, and makes one out of another with `append`. Two places that are made out of one may then share their memory,
 * and the later one overwrites the last step of the earlier: in `self.a.all(x, x.b.all(y, y == x.c))` the length of `b` is looked up only after `x.c` was
 * visited, and is that of `c`. What a definition may cost, and so whether it is refused, depends on it. Places here share their memory in the same cases.
 *
 *     self.a.@items        steps  self | a | @items | .       length 3, room for 4
 *     x.b: appended        steps  self | a | @items | b       length 4, the same steps
 *     x.c: appended        steps  self | a | @items | c       and so is x.b
 */
export class Place {
  static readonly nowhere = new Place({ cells: [], room: 0 }, 0);

  private constructor(
    private readonly memory: Memory,
    readonly length: number,
  ) {}

  static of(variable: string): Place {
    return new Place({ cells: [variable], room: 1 }, 1);
  }

  /** As many as there were when the place was made; what they are may have changed since. */
  get steps(): readonly string[] {
    return this.memory.cells.slice(0, this.length);
  }

  /** Memory doubles where there is no room, as that of small slices does. */
  append(step: string): Place {
    const { cells, room } = this.memory;
    const memory = this.length < room ? this.memory : { cells: cells.slice(0, this.length), room: Math.max(1, room * 2) };
    memory.cells[this.length] = step;
    return new Place(memory, this.length + 1);
  }
}

interface Memory {
  readonly cells: string[];
  /** How many steps fit. */
  readonly room: number;
}
