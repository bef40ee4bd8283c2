import type { FieldGate } from '../../program/features/gates.js';
import { gatedFields, type Gated } from '../registry/gatedFields.js';
import type { ObjectIn } from '../../api/json/members.js';
import type { PathIn, PathsIn, ValueAt } from '../registry/memberPath.js';

/** Gated fields; the context determines the type of their holder. */
export const gate = <T extends object, const P extends readonly string[]>(feature: FieldGate, ...paths: PathsIn<T, P>): Gated<T> => ({
  fields: { [feature]: paths },
});

/** Gated fields of a common part, at its place in a kind: `spec.template.spec`. */
export const below = <T extends object, const P extends string>(
  place: PathIn<T, P>,
  parts: readonly Gated<ObjectIn<ValueAt<T, P>>>[],
): Gated<T> => ({
  fields: Object.fromEntries(
    Object.entries(gatedFields(parts)).map(([feature, paths]) => [feature, paths.map((path) => `${place}.${path}`)]),
  ),
});
