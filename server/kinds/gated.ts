import type { FieldGate } from '../../program/features/fieldGates.js';
import { gatedFields, type Gated } from '../registry/gatedFields.js';
import type { ObjectIn } from '../../api/json/members.js';
import type { PathIn, PathsIn, ValueAt } from '../registry/memberPath.js';

/** Fields that belong to a feature. The type of what they stand in is that of the place where the word stands. */
export const gate = <T extends object, const P extends readonly string[]>(feature: FieldGate, ...paths: PathsIn<T, P>): Gated<T> => ({
  fields: { [feature]: paths },
});

/** Fields of a part that objects of several kinds have, at the place where these have it: `spec.template.spec`. */
export const below = <T extends object, const P extends string>(
  place: PathIn<T, P>,
  parts: readonly Gated<ObjectIn<ValueAt<T, P>>>[],
): Gated<T> => ({
  fields: Object.fromEntries(
    Object.entries(gatedFields(parts)).map(([feature, paths]) => [feature, paths.map((path) => `${place}.${path}`)]),
  ),
});
