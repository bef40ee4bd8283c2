import type { JsonObject } from '../../api/object.js';
import { memberAt } from '../../registry/members.js';
import { objectAt, objectsIn } from '../../registry/defaulting.js';
import type { ServedAs } from '../../registry/strategy.js';
import { forbidden, Path, type FieldError } from '../../registry/validation/field.js';

const label = 'resource.kubernetes.io/admin-access';

/**
 * Access to devices that others use is for namespaces whose label allows it. Only the first request that wants it is reported, and in templates
 * under the path that it has in claims.
 */
export function validateAdminAccess(spec: JsonObject, { namespaceLabels = {} }: ServedAs): FieldError[] {
  const position = objectsIn(objectAt(spec, 'devices') ?? {}, 'requests').findIndex(
    (request) => memberAt(request, 'exactly', 'adminAccess') === true,
  );
  if (position < 0 || namespaceLabels[label] === 'true') return [];
  const path = Path.of('spec', 'devices', 'requests').index(position).child('adminAccess');
  return [forbidden(path, `admin access to devices requires the \`${label}: true\` label on the containing namespace`)];
}
