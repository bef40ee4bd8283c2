import type { ControllerRevision } from '../../../api/types/apps/v1.js';
import { isObject } from '../../../api/json/json.js';
import type { JsonValue } from '../../../api/object.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { Path, required, type FieldError } from '../../registry/validation/field.js';
import { printedMap } from '../../registry/validation/printed.js';
import { nonNegative } from '../../registry/validation/values.js';
import { none, numberAt } from '../cells.js';
import { immutable } from '../immutable.js';
import type { Draft, Kind } from '../kind.js';

const dataPath = Path.of('data');

/** A revision is any object to which its controller can return. */
function validate(revision: Draft<ControllerRevision>): FieldError[] {
  const { data } = revision;
  const missing = data === undefined || data === null;
  return [
    ...(missing
      ? [required(dataPath, 'data is mandatory')]
      : typeof data !== 'object' || Array.isArray(data)
        ? [required(dataPath, 'data must be a valid JSON object')]
        : []),
    ...nonNegative(revision.revision, Path.of('revision')),
  ];
}

const printedData = (data: JsonValue | undefined): JsonValue => (isObject(data) ? printedMap(data) : (data ?? null));

export const controllerRevisions: Kind<Draft<ControllerRevision>> = {
  name: 'controllerrevisions.apps',
  validate,
  update: {
    review: [
      'objectMetaUpdate',
      'objectMeta',
      (revision) => nonNegative(revision.revision, Path.of('revision')),
      immutable('data', printedData),
    ],
  },
  cells: {
    Controller: (object) =>
      itemsOf(object.metadata.ownerReferences)
        .filter((owner) => memberAt(owner, 'controller') === true)
        .map(
          (owner) => `${textAt(owner, 'kind').toLowerCase()}.${textAt(owner, 'apiVersion').split('/')[0]}/${textAt(owner, 'name')}`,
        )[0] ?? none,
    Revision: numberAt('revision'),
  },
};
