import { createdAt, nameOf } from '../client/object.js';
import type { ControllerRevision } from '../kinds/apps.js';
import type { PodTemplate } from '../kinds/core.js';
import { sameJson } from '../workloads/sameJson.js';

/** Templates that were in force once, kept as ControllerRevisions. Pure. */

/** What a revision holds: a patch that puts the template in place of any other. */
export interface TemplatePatch { readonly spec: { readonly template: PodTemplate & { readonly $patch: 'replace' } } }

export const patchOf = (template: PodTemplate | undefined): TemplatePatch => ({ spec: { template: { ...template, $patch: 'replace' } } });

export const holds = (revision: ControllerRevision, template: PodTemplate | undefined): boolean => sameJson(revision.data, patchOf(template));

/** The template of a revision; undefined where it holds none. */
export function templateOf({ data }: ControllerRevision): PodTemplate | undefined {
  const { $patch: _, ...template } = (data as Partial<TemplatePatch> | undefined)?.spec?.template ?? { $patch: 'replace' };
  return Object.keys(template).length > 0 ? template : undefined;
}

/** Of equal numbers, which only a conflict leaves behind, the older comes first. */
export const oldestFirst = (revisions: readonly ControllerRevision[]): readonly ControllerRevision[] =>
  [...revisions].sort((a, b) => a.revision - b.revision || createdAt(a) - createdAt(b) || (nameOf(a) < nameOf(b) ? -1 : 1));

export const nextNumber = (revisions: readonly ControllerRevision[]): number => Math.max(0, ...revisions.map(({ revision }) => revision)) + 1;

/** Those of `dead` that are more than the limit, oldest first. */
export const superfluous = (dead: readonly ControllerRevision[], limit: number): readonly ControllerRevision[] => oldestFirst(dead).slice(0, Math.max(0, dead.length - limit));
