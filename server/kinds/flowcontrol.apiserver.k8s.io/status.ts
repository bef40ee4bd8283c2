import type { ApiObject } from '../../../api/object.js';
import { objectsIn } from '../../../api/json/defaulting.js';
import { textAt } from '../../../api/json/members.js';
import type { SubresourceRules } from '../../registry/rules.js';
import { duplicate, Path, required, type FieldError } from '../../registry/validation/field.js';
import { statusOf } from '../parts.js';
import { repeats } from '../../registry/validation/repeats.js';

const conditions = Path.of('status', 'conditions');

/** The status of both kinds has one condition of each type. */
export function validateStatus(object: ApiObject): FieldError[] {
  const types = objectsIn(statusOf(object), 'conditions').map((condition) => textAt(condition, 'type'));
  const isRepeated = repeats(types);
  return types.flatMap((type, position) => {
    const path = conditions.index(position).child('type');
    return [...(isRepeated(position) ? [duplicate(path, type)] : []), ...(type === '' ? [required(path, '')] : [])];
  });
}

export const statusWrites: Readonly<Record<string, SubresourceRules>> = {
  status: {
    keepsMetadata: true,
    review: [validateStatus],
  },
};
