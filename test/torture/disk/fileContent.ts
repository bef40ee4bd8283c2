export interface Survival {
  /** The size of atomic writes. */
  readonly pageBytes: number;
  /** Draws how many of so many changes survive: for the size of each file, each page, and the names of each directory. */
  kept(changes: number): number;
}

/** A write or truncation since the last sync: the bytes it touched, and the file's earlier size and content. */
export interface Change {
  readonly at: number;
  readonly length: number;
  readonly sizeBefore: number;
  readonly before: Buffer;
}

const headBytes = 32;

/** Reads the shim's journal, `struct undo` in content.c. A partial entry at the end belongs to a change that never began. */
export function readChanges(journal: Buffer): readonly Change[] {
  const changes: Change[] = [];
  for (let place = 0; place + headBytes <= journal.length;) {
    const [at, length, sizeBefore, saved] = [0, 8, 16, 24].map((offset) => Number(journal.readBigInt64LE(place + offset))) as [
      number,
      number,
      number,
      number,
    ];
    place += headBytes + saved;
    if (place <= journal.length) changes.push({ at, length, sizeBefore, before: journal.subarray(place - saved, place) });
  }
  return changes;
}

/**
 * A content that a disk might have after the loss; `written` is the process's view. The size and each page may be of any moment, which is harsher than most
 * file systems, but cut content does not mix with what replaced it.
 *
 *     moments   0 ---change 0---> 1 ---change 1---> 2 ... n = written
 */
export function withoutChanges(written: Buffer, changes: readonly Change[], survival: Survival): Buffer {
  const sizes = [...changes.map(({ sizeBefore }) => sizeBefore), written.length];
  const content = Buffer.alloc(Math.max(...sizes));
  written.copy(content);
  const sizeMoment = survival.kept(changes.length);
  const cuts = sizes.flatMap((size, index) =>
    index > 0 && size < (sizes[index - 1] ?? 0) ? [{ moment: index, size, survived: index <= sizeMoment }] : [],
  );
  const moments = new Map<number, number>();
  const momentOf = (page: number): number => {
    const known = moments.get(page);
    if (known !== undefined) return known;
    const moment = bounded(
      survival.kept(changes.length),
      changes.length,
      cuts.filter(({ size }) => (page + 1) * survival.pageBytes > size),
    );
    moments.set(page, moment);
    return moment;
  };
  for (const [index, change] of [...changes.entries()].reverse())
    undo(content, change, survival.pageBytes, (page) => momentOf(page) <= index);
  return content.subarray(0, sizes[sizeMoment]);
}

/** A page is at least as new as its last surviving truncation, and older than a lost one. */
function bounded(moment: number, last: number, cuts: readonly { readonly moment: number; readonly survived: boolean }[]): number {
  const oldest = Math.max(0, ...cuts.filter(({ survived }) => survived).map((cut) => cut.moment));
  const newest = Math.min(last, ...cuts.filter(({ survived }) => !survived).map((cut) => cut.moment - 1));
  return Math.min(Math.max(moment, oldest), newest);
}

function undo(content: Buffer, { at, length, before }: Change, pageBytes: number, isLost: (page: number) => boolean): void {
  const end = Math.min(at + length, content.length);
  for (let from = at; from < end;) {
    const page = Math.floor(from / pageBytes);
    const to = Math.min(end, (page + 1) * pageBytes);
    if (isLost(page)) {
      content.fill(0, from, to);
      before.subarray(from - at, to - at).copy(content, from);
    }
    from = to;
  }
}
