import type * as v1 from '../../../api/types/apps/v1.js';
import { isObject } from '../../../api/json/json.js';
import type { JsonValue } from '../../../api/object.js';
import { itemsOf } from '../../../api/json/members.js';
import { required } from '../../registry/validation/field.js';
import { inOrder } from '../../registry/validation/ofEach.js';
import { objectRules, requiredPointerAs } from '../../registry/validation/table.js';
import { printedMap } from '../../registry/validation/printed.js';
import { nonNegative } from '../../registry/validation/values.js';
import { none, numberAt } from '../cells.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';

const revision = objectRules<v1.ControllerRevision>({ revision: nonNegative });
/** A revision is any object to which its controller can return. */
const data = objectRules<v1.ControllerRevision>({
  data: requiredPointerAs('data is mandatory', (value, path) =>
    isObject(value) ? [] : [required(path, 'data must be a valid JSON object')],
  ),
});

const printedData = (data: JsonValue | undefined): JsonValue => (isObject(data) ? (printedMap(data) ?? data) : (data ?? null));

export const controllerRevisions: Kind<Draft<v1.ControllerRevision>> = {
  name: 'controllerrevisions.apps',
  validate: (object) => inOrder(data(object), revision(object)),
  update: {
    review: ['objectMetaUpdate', 'objectMeta', revision, immutable('data', printedData)],
  },
  cells: {
    Controller: (object) =>
      itemsOf(object.metadata.ownerReferences)
        .filter(({ controller }) => controller === true)
        .map(({ kind, apiVersion, name }) => `${kind.toLowerCase()}.${apiVersion.split('/')[0]}/${name}`)[0] ?? none,
    Revision: numberAt('revision'),
  },
};
