/**
 * A place below a variable: `self`, `spec`, `@items`. In the reference two extensions of one Go slice by `append` may share memory, and the
 * later overwrites the last step of the earlier: in `self.a.all(x, x.b.all(y, y == x.c))` the length of `b` is that of `c`. Refusals depend on this, so places
 * here share memory in the same cases.
 *
 *     self.a.@items        steps  self | a | @items | .       length 3, room for 4
 *     x.b: appended        steps  self | a | @items | b       length 4, the same steps
 *     x.c: appended        steps  self | a | @items | c       and so is x.b
 */
export class Place {
  readonly #memory: Memory;
  static readonly nowhere = new Place({ cells: [], room: 0 }, 0);

  private constructor(
    memory: Memory,
    readonly length: number,
  ) {
    this.#memory = memory;
  }

  static of(variable: string): Place {
    return new Place({ cells: [variable], room: 1 }, 1);
  }

  /** The number of steps is fixed; their values may have changed. */
  get steps(): readonly string[] {
    return this.#memory.cells.slice(0, this.length);
  }

  /** Memory doubles where there is no room, as in Go. */
  append(step: string): Place {
    const { cells, room } = this.#memory;
    const memory = this.length < room ? this.#memory : { cells: cells.slice(0, this.length), room: Math.max(1, room * 2) };
    memory.cells[this.length] = step;
    return new Place(memory, this.length + 1);
  }
}

interface Memory {
  readonly cells: string[];
  readonly room: number;
}
