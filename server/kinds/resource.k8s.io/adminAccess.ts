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

/** Admin access to devices requires a label of the namespace. Only the first such request is reported, in templates under its path in claims. */
export function validateAdminAccess(spec: JsonObject, { namespaceLabels = {} }: ServedAs): FieldError[] {
  const position = objectsIn(objectAt(spec, 'devices') ?? {}, 'requests').findIndex(
    (request) => memberAt(request, 'exactly', 'adminAccess') === true,
  );
  if (position < 0 || isGranted(namespaceLabels)) return [];
  return [refusal(Path.of('spec', 'devices', 'requests').index(position).child('adminAccess'))];
}

const allocated = (claim: ApiObject): number =>
  objectsIn(objectAt(objectAt(statusOf(claim), 'allocation') ?? {}, 'devices') ?? {}, 'results').findIndex(
    ({ adminAccess }) => adminAccess === true,
  );

/** Reports whether a status adds admin access. Existing access stands. */
export const beginsAdminAccess = (claim: ApiObject, old: ApiObject): boolean => allocated(old) < 0 && allocated(claim) >= 0;

export const validateAdminStatus = (
  claim: ApiObject,
  old: ApiObject,
  { namespaceLabels = {} }: Pick<WriteContext, 'namespaceLabels'>,
): FieldError[] =>
  beginsAdminAccess(claim, old) && !isGranted(namespaceLabels)
    ? [refusal(Path.of('status', 'allocation', 'devices', 'results').index(allocated(claim)).child('adminAccess'))]
    : [];
