import { importsOf } from './rules.js';

interface Tie {
  readonly from: string;
  readonly to: string;
  readonly names: readonly string[];
}

/** The imports among files, types included. `files` are texts by path from the root. */
export function tiesAmong(files: ReadonlyMap<string, string>): Tie[] {
  return [...files].flatMap(([from, text]) =>
    importsOf(from, text).flatMap(({ target, names }) => {
      const module = (target ?? '').replace(/\.js$/, '');
      const to = [`${module}.ts`, `${module}.tsx`].find((file) => files.has(file));
      return to === undefined ? [] : [{ from, to, names }];
    }),
  );
}

/** A file's room: a top folder, or one below `server`, whose loose files are rooms themselves. */
export function roomOf(file: string): string {
  const [top, next] = file.split('/');
  return top === 'server' ? `server/${next}` : (top ?? file);
}

/** The imports among rooms. */
export const tiesOfRooms = (ties: readonly Tie[]): Tie[] =>
  ties.map((tie) => ({ ...tie, from: roomOf(tie.from), to: roomOf(tie.to) })).filter(({ from, to }) => from !== to);

/** Strongly connected components of more than one file (Tarjan). */
export function circlesIn(ties: readonly Tie[]): string[][] {
  const imports = new Map<string, string[]>();
  for (const { from, to } of ties) imports.set(from, [...(imports.get(from) ?? []), to]);
  const [order, lowest] = [new Map<string, number>(), new Map<string, number>()];
  const path: string[] = [];
  const open = new Set<string>();
  const circles: string[][] = [];
  const lower = (file: string, to = Infinity): void => void lowest.set(file, Math.min(lowest.get(file) ?? Infinity, to));
  const visit = (file: string): void => {
    order.set(file, order.size);
    lower(file, order.get(file));
    path.push(file);
    open.add(file);
    for (const next of imports.get(file) ?? []) {
      if (!order.has(next)) {
        visit(next);
        lower(file, lowest.get(next));
      } else if (open.has(next)) lower(file, order.get(next));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = path.splice(path.indexOf(file));
    for (const each of circle) open.delete(each);
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return circles;
}

/** The imports within each circle, a line each. */
export const problemsAbout = (ties: readonly Tie[]): string[][] =>
  circlesIn(ties).map((circle) =>
    ties
      .filter(({ from, to }) => circle.includes(from) && circle.includes(to))
      .map(({ from, to, names }) => `${from} imports ${names.join(', ') || 'all'} of ${to}`),
  );
