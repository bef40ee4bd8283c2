/** The changing rows of a resource: https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables */

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly priority: number;
  readonly description?: string;
}
export interface RowObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}
export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object: RowObject;
}
export interface Row extends TableRow {
  /** Namespace and name, in the order of the list. */
  readonly key: string;
  /** Milliseconds of `performance.now()` of its last observed change; 0 for rows of the first list. */
  readonly changedAt: number;
}
export type RowEvent = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly row: TableRow };

export const rowKey = ({ metadata }: RowObject): string => `${metadata.namespace ?? ''}\u0000${metadata.name}`;

/** Rows by namespace and name. A change costs one binary search. */
export class TableModel {
  #rows: Row[] = [];
  version = 0;

  get rows(): readonly Row[] {
    return this.#rows;
  }

  reset(rows: readonly TableRow[]): void {
    this.#rows = rows
      .map((row): Row => ({ ...row, key: rowKey(row.object), changedAt: 0 }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    this.version++;
  }

  /** `now` in milliseconds of `performance.now()`. */
  apply({ type, row }: RowEvent, now: number): void {
    const key = rowKey(row.object);
    const at = this.#place(key);
    const isThere = this.#rows[at]?.key === key;
    this.version++;
    if (type === 'DELETED') {
      if (isThere) this.#rows.splice(at, 1);
      return;
    }
    const changed: Row = { ...row, key, changedAt: now };
    if (isThere) this.#rows[at] = changed;
    else this.#rows.splice(at, 0, changed);
  }

  #place(key: string): number {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rows[middle]!.key < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface Order {
  readonly column: number;
  readonly descending: boolean;
}

/** Returns rows whose name (or namespace) contains the text, by a column; unchanged without either. */
export function shownRows(rows: readonly Row[], text: string, order: Order | null): readonly Row[] {
  const wanted = text.trim().toLowerCase();
  const found =
    wanted === ''
      ? rows
      : rows.filter(({ object }) => `${object.metadata.namespace ?? ''}/${object.metadata.name}`.toLowerCase().includes(wanted));
  if (order === null) return found;
  const sign = order.descending ? -1 : 1;
  return [...found].sort((a, b) => sign * compareCells(a.cells[order.column], b.cells[order.column]) || (a.key < b.key ? -1 : 1));
}

/** Compares numbers as numbers, `2/3` by its first, other cells as text. */
export function compareCells(a: unknown, b: unknown): number {
  const [x, y] = [numberIn(a), numberIn(b)];
  if (x !== null && y !== null) return x - y;
  const [s, t] = [String(a ?? ''), String(b ?? '')];
  return s < t ? -1 : s > t ? 1 : 0;
}

function numberIn(cell: unknown): number | null {
  if (typeof cell === 'number') return cell;
  const [, digits] = /^(-?\d+(?:\.\d+)?)(?:\/\d+)?$/.exec(String(cell ?? '')) ?? [];
  return digits === undefined ? null : Number(digits);
}
