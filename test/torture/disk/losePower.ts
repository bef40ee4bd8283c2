import fs from 'node:fs';
import path from 'node:path';
import type { Prng } from '../../simulation/prng.js';
import { readChanges, withoutChanges, type Survival } from './fileContent.js';

export type { Survival } from './fileContent.js';

export interface Loss {
  readonly files: number;
  readonly names: number;
}

/** Loses everything unsynced. */
export const nothingMore: Survival = { pageBytes: 4096, kept: () => 0 };

/** Draws once how much this disk wrote: sectors survive in any order, some pages partly. */
export function drawSurvival(prng: Prng): Survival {
  const permille = prng.below(1001);
  return {
    pageBytes: prng.pick([512, 4096]),
    kept: (changes) => (prng.chance(permille) ? changes : prng.chance(permille) ? prng.below(changes + 1) : 0),
  };
}

type NameChange =
  | { readonly what: 'create'; readonly name: string }
  | { readonly what: 'remove'; readonly name: string; readonly held: string }
  | { readonly what: 'rename'; readonly from: string; readonly name: string; readonly held: string };

/**
 * Changes the files below `dataDirectory` to a state after a power loss, by the shim's journal, and clears the journal. `survival` decides which unsynced
 * pages and directory changes remain.
 */
export function losePower(journal: string, dataDirectory: string, survival: Survival): Loss {
  const entries = fs.readdirSync(journal).sort();
  const names = entries.filter((entry) => entry.endsWith('.names')).map((entry) => undoNames(path.join(journal, entry), survival));
  const files = filesByInode(dataDirectory);
  const changed = entries
    .filter((entry) => entry.endsWith('.undo'))
    .map((entry) => undoContent(path.join(journal, entry), files.get(path.basename(entry, '.undo')), survival));
  for (const file of files.values()) if (file.endsWith('-shm')) fs.rmSync(file, { force: true });
  for (const entry of fs.readdirSync(journal)) fs.rmSync(path.join(journal, entry));
  return { files: changed.filter(Boolean).length, names: names.reduce((sum, count) => sum + count, 0) };
}

function undoNames(file: string, survival: Survival): number {
  const changes = fs.readFileSync(file, 'utf8').split('\n').flatMap(nameChange);
  const lost = changes.slice(survival.kept(changes.length)).reverse();
  for (const change of lost) undoName(change);
  return lost.length;
}

/** Empty for a partial line of a killed process, whose change did not begin. */
function nameChange(line: string): readonly NameChange[] {
  const [what, ...paths] = line.split('\t');
  if (paths.pop() !== '.') return [];
  const [first = '', second = '', third = ''] = paths;
  if (what === 'create') return [{ what, name: first }];
  if (what === 'remove') return [{ what, name: first, held: second }];
  return [{ what: 'rename', from: first, name: second, held: third }];
}

/** A recorded change may not have happened. */
function undoName(change: NameChange): void {
  if (change.what === 'create') {
    fs.rmSync(change.name, { recursive: true, force: true });
    return;
  }
  if (change.what === 'rename' && fs.existsSync(change.name) && !fs.existsSync(change.from)) fs.renameSync(change.name, change.from);
  if (change.held !== '-' && !fs.existsSync(change.name)) fs.linkSync(change.held, change.name);
}

function filesByInode(directory: string): ReadonlyMap<string, string> {
  const all = fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  return new Map(all.map((file) => [String(fs.statSync(file, { bigint: true }).ino), file]));
}

function undoContent(undo: string, file: string | undefined, survival: Survival): boolean {
  const changes = readChanges(fs.readFileSync(undo));
  if (file === undefined || changes.length === 0) return false;
  const written = fs.readFileSync(file);
  const left = withoutChanges(written, changes, survival);
  if (left.equals(written)) return false;
  fs.writeFileSync(file, left);
  return true;
}
