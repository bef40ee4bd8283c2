import { isDeepStrictEqual } from 'node:util';
import { createdAt, nameOf } from '../../api/meta/object.js';
import type { ControllerRevision } from '../../api/types/apps/v1.js';
import type { PodTemplateSpec } from '../../api/types/core/v1.js';
import { sameMeaning } from '../../api/json/equality.js';

/** Former templates, kept as ControllerRevisions. Pure. */

/** A revision's contents: a patch that replaces any template. */
export type TemplatePatch = Readonly<Record<'spec', { readonly template: PodTemplateSpec & { readonly $patch: 'replace' } }>>;

export const patchOf = (template: PodTemplateSpec | undefined): TemplatePatch => ({
  spec: { template: sorted({ ...template, $patch: 'replace' as const }) },
});

/** Sorts members at every depth, since other programs compare the stored bytes. */
function sorted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1))) as T;
}

export const holds = (revision: ControllerRevision, template: PodTemplateSpec | undefined): boolean =>
  sameMeaning(revision.data, patchOf(template));

/** Compares exactly, unlike `holds`: a meaningless member, such as null, makes a new revision. */
export const holdsExactly = (revision: ControllerRevision, template: PodTemplateSpec | undefined): boolean =>
  isDeepStrictEqual(revision.data, patchOf(template));

export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const { $patch: _, ...template } = (data as Partial<TemplatePatch> | undefined)?.spec?.template ?? { $patch: 'replace' };
  return Object.keys(template).length > 0 ? template : undefined;
}

export const numberOf = ({ revision }: ControllerRevision): bigint => BigInt(revision);

/** Returns a revision with that number: a bigint only where a number would be inexact. */
export const numbered = (revision: ControllerRevision, number: bigint): ControllerRevision => ({
  ...revision,
  revision: (number > Number.MAX_SAFE_INTEGER ? number : Number(number)) as number,
});

/** Equal numbers, left by conflicts, are ordered by age, the older first. */
export const oldestFirst = (revisions: readonly ControllerRevision[]): readonly ControllerRevision[] =>
  [...revisions].sort((a, b) => sign(numberOf(a) - numberOf(b)) || createdAt(a) - createdAt(b) || (nameOf(a) < nameOf(b) ? -1 : 1));

const sign = (difference: bigint): number => (difference < 0n ? -1 : difference > 0n ? 1 : 0);

export const nextNumber = (revisions: readonly ControllerRevision[]): bigint =>
  revisions.map(numberOf).reduce((most, number) => (number > most ? number : most), 0n) + 1n;

/** Returns those of `dead` beyond the limit, oldest first. */
export const superfluous = (dead: readonly ControllerRevision[], limit: number): readonly ControllerRevision[] =>
  oldestFirst(dead).slice(0, Math.max(0, dead.length - limit));
