import type { ApiObject, JsonObject } from '../../../api/object.js';
import { memberAt } from '../../../api/json/members.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import type { ServedAs, WriteContext } from '../../registry/rules.js';
import { forbidden, Path, type FieldError } from '../../registry/validation/field.js';
import { statusOf } from '../parts.js';

const label = 'resource.kubernetes.io/admin-access';
const refusal = (path: Path): FieldError =>
  forbidden(path, `admin access to devices requires the \`${label}: true\` label on the containing namespace`);
const isGranted = (labels: Readonly<Record<string, string>>): boolean => labels[label] === 'true';

/**
 * Access to devices that others use is for namespaces whose label allows it. Only the first request that wants it is reported, and in templates
 * under the path that it has in claims.
 */
export function validateAdminAccess(spec: JsonObject, { namespaceLabels = {} }: ServedAs): FieldError[] {
  const position = objectsIn(objectAt(spec, 'devices') ?? {}, 'requests').findIndex(
    (request) => memberAt(request, 'exactly', 'adminAccess') === true,
  );
  if (position < 0 || isGranted(namespaceLabels)) return [];
  return [refusal(Path.of('spec', 'devices', 'requests').index(position).child('adminAccess'))];
}

/** The first device that has been allocated for such access; -1 where none has. */
const allocated = (claim: ApiObject): number =>
  objectsIn(objectAt(objectAt(statusOf(claim), 'allocation') ?? {}, 'devices') ?? {}, 'results').findIndex(
    ({ adminAccess }) => adminAccess === true,
  );

/** Whether a status begins to give such access. What was given before stands. */
export const beginsAdminAccess = (claim: ApiObject, old: ApiObject): boolean => allocated(old) < 0 && allocated(claim) >= 0;

export const validateAdminStatus = (
  claim: ApiObject,
  old: ApiObject,
  { namespaceLabels = {} }: Pick<WriteContext, 'namespaceLabels'>,
): FieldError[] =>
  beginsAdminAccess(claim, old) && !isGranted(namespaceLabels)
    ? [refusal(Path.of('status', 'allocation', 'devices', 'results').index(allocated(claim)).child('adminAccess'))]
    : [];
