import type * as v1 from '../../../api/types/apps/v1.js';
import {
  inOrder,
  isObject,
  itemsOf,
  missing,
  none,
  nonNegative,
  numberAt,
  objectRules,
  printedMap,
  requiredPointerAs,
  type Draft,
  type JsonValue,
  type Kind,
} from '../language.js';
import { immutable } from '../immutable.js';

const revision = objectRules<v1.ControllerRevision>({ revision: nonNegative });
/** A revision is any object to which its controller can return. */
const data = objectRules<v1.ControllerRevision>({
  data: requiredPointerAs('data is mandatory', (value, path) =>
    isObject(value) ? [] : [missing(path, 'data must be a valid JSON object')],
  ),
});

const printedData = (data: JsonValue | undefined): JsonValue => (isObject(data) ? (printedMap(data) ?? data) : (data ?? null));

export const controllerRevisions: Kind<Draft<v1.ControllerRevision>> = {
  name: 'controllerrevisions.apps',
  validate: (object) => inOrder(revision(object), data(object)),
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
