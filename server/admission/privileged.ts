import type { ApiObject, JsonObject } from '../../api/object.js';
import { invalidObject } from '../../api/status.js';
import { objectAt, objectsIn } from '../../api/json/defaulting.js';
import { forbidden, Path, toCause, type FieldError } from '../registry/validation/field.js';
import type { AdmissionPlugin } from '../registry/admission.js';
import { podTemplates } from './podTemplates.js';

const specs: Readonly<Record<string, readonly string[]>> = {
  pods: ['spec'],
  ...Object.fromEntries(Object.entries(podTemplates).map(([resource, path]) => [resource, [...path, 'spec']])),
};
const lists = ['initContainers', 'containers', 'ephemeralContainers'];
/** Subresources that change specifications. */
const changing: ReadonlySet<string> = new Set(['', 'ephemeralcontainers', 'resize']);

/**
 * Refuses privileged containers and templates without `--allow-privileged`. The reference checks this in the rules of kinds; here the same message follows all
 * other errors.
 */
export const refusesPrivileged = (): AdmissionPlugin => ({
  name: 'privileged containers',
  resources: Object.keys(specs),
  validate({ resource: { storage }, subresource, object, name, form }) {
    if (object === null || form !== null || !changing.has(subresource)) return;
    const found = findings(object, specs[storage.group === '' ? storage.resource : `${storage.resource}.${storage.group}`] ?? []);
    if (found.length > 0)
      throw invalidObject({ group: storage.group, kind: storage.kind }, object.metadata.name ?? name, found.map(toCause));
  },
});

function findings(object: ApiObject, members: readonly string[]): FieldError[] {
  const spec = members.reduce<JsonObject | null>((holder, member) => holder && objectAt(holder, member), object as JsonObject);
  if (spec === null) return [];
  const [first = '', ...rest] = members;
  return lists.flatMap((list) =>
    objectsIn(spec, list).flatMap((container, position) =>
      objectAt(container, 'securityContext')?.['privileged'] === true
        ? [
            forbidden(
              Path.of(first, ...rest, list)
                .index(position)
                .child('securityContext', 'privileged'),
              'disallowed by cluster policy',
            ),
          ]
        : [],
    ),
  );
}
