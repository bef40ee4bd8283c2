import { isDeepStrictEqual } from 'node:util';
import type { LifeCycle, Names } from '../definition.js';

interface Taken {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export interface NamesVerdict {
  readonly names: Names;
  /** The first name that another definition has, or null. */
  readonly conflict: { readonly reason: string; readonly message: string } | null;
}

/**
 * Decides which requested names a definition gets. Every server decides from all definitions of one state, and its write requires an unchanged definition. Two
 * requests for one name must not both succeed on different servers: so a name also counts as taken while an earlier changed definition waits for it. A server
 * that sees the later one sees the earlier one, too.
 */
export function acceptedNames(own: LifeCycle, others: readonly LifeCycle[]): NamesVerdict {
  const { requested, accepted } = own;
  const taken = takenBy(
    others.filter(({ group, name }) => group === own.group && name !== own.name),
    own.version,
  );
  const isFree = (name: string, present: string, names: ReadonlySet<string>): boolean => name === present || !names.has(name);
  const conflicts: { readonly reason: string; readonly message: string }[] = [];
  const one = (member: 'plural' | 'singular' | 'kind' | 'listKind', names: ReadonlySet<string>): string => {
    if (isFree(requested[member], accepted[member], names)) return requested[member];
    conflicts.push({ reason: `${member.charAt(0).toUpperCase()}${member.slice(1)}Conflict`, message: inUse(requested[member]) });
    return accepted[member];
  };
  const plural = one('plural', taken.resources);
  const singular = one('singular', taken.resources);
  const shortNames = shortNamesOf(own, taken.resources, conflicts);
  const kind = one('kind', taken.kinds);
  const listKind = one('listKind', taken.kinds);
  // The last one is reported, as in the reference.
  return { names: { plural, singular, kind, listKind, shortNames, categories: requested.categories }, conflict: conflicts.at(-1) ?? null };
}

const inUse = (name: string): string => `${JSON.stringify(name)} is already in use`;

function shortNamesOf(
  { requested, accepted }: LifeCycle,
  taken: ReadonlySet<string>,
  conflicts: { readonly reason: string; readonly message: string }[],
): readonly string[] {
  if (isDeepStrictEqual(requested.shortNames, accepted.shortNames)) return accepted.shortNames;
  const problems = requested.shortNames.filter((name) => !accepted.shortNames.includes(name) && taken.has(name)).map(inUse);
  if (problems.length === 0) return requested.shortNames;
  conflicts.push({ reason: 'ShortNamesConflict', message: problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]` });
  return accepted.shortNames;
}

function takenBy(others: readonly LifeCycle[], version: number): Taken {
  const waiting = others
    .filter((other) => other.version < version && !isDeepStrictEqual(other.requested, other.accepted))
    .map(({ requested }) => requested);
  const all = [...others.map(({ accepted }) => accepted), ...waiting];
  return {
    resources: new Set(all.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames]).filter((name) => name !== '')),
    kinds: new Set(all.flatMap(({ kind, listKind }) => [kind, listKind]).filter((name) => name !== '')),
  };
}
