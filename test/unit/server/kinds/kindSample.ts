import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { causes, type Sample } from '../registry/sample.js';

/** An object named `a` of a kind such as `Pod` or `apps/v1/Deployment`. */
export function object(kind: string, content: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  const slash = kind.lastIndexOf('/');
  return {
    apiVersion: slash < 0 ? 'v1' : kind.slice(0, slash),
    kind: kind.slice(slash + 1),
    metadata: { name: 'a', ...metadata },
    ...content,
  };
}

/** The findings of a new object; none if it is accepted. */
export type Refused = readonly (readonly [what: string, object: JsonObject, expected: readonly string[]])[];

export async function changing(sample: Sample, kind: string, content: JsonObject, change: JsonObject, subresource = ''): Promise<string[]> {
  const created = object(kind, content);
  await sample.create(created);
  return causes(
    sample.update(
      created,
      (current) => {
        merge(current, change);
      },
      subresource,
    ),
  );
}

/** Sets members, including nested ones. */
export function merge(target: ApiObject | JsonObject, changes: JsonObject): void {
  for (const [member, value] of Object.entries(changes)) {
    const present = target[member];
    if (
      value !== null &&
      typeof value === 'object' &&
      !Array.isArray(value) &&
      present !== null &&
      typeof present === 'object' &&
      !Array.isArray(present)
    )
      merge(present, value);
    else target[member] = value;
  }
}
