import type { JsonValue } from '../../../api/object.js';
import { membersOf, textAt } from '../../../api/json/members.js';
import { duplicate, invalid, notSupported, required, tooLong, type FieldError, type Path } from './field.js';
import { qualified } from './values.js';
import { repeats } from './repeats.js';

const statuses = ['False', 'True', 'Unknown'];
const reasonBytesMax = 1024;
const messageBytesMax = 32 * 1024;
const reasonSource = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonText =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'" +
  ` (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${reasonSource}')`;
const reasonPattern = new RegExp(`^${reasonSource}$`);

/** `meta.k8s.io/v1 Condition`: one of each type, each complete. */
export function validateConditions(conditions: readonly JsonValue[], path: Path): FieldError[] {
  const types = conditions.map((condition) => textAt(condition, 'type'));
  const isRepeated = repeats(types);
  return conditions.flatMap((condition, position) => {
    const at = path.index(position);
    return [...(isRepeated(position) ? [duplicate(at.child('type'), types[position])] : []), ...validateCondition(condition, at)];
  });
}

function validateCondition(condition: JsonValue, path: Path): FieldError[] {
  const { status, observedGeneration, lastTransitionTime } = membersOf(condition);
  const message = textAt(condition, 'message');
  return [
    ...qualified(textAt(condition, 'type'), path.child('type')),
    ...(statuses.includes(String(status)) ? [] : [notSupported(path.child('status'), textAt(condition, 'status'), statuses)]),
    ...(Number(observedGeneration ?? 0) < 0
      ? [invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero')]
      : []),
    ...(lastTransitionTime === undefined || lastTransitionTime === null ? [required(path.child('lastTransitionTime'), '')] : []),
    ...validateReason(textAt(condition, 'reason'), path.child('reason')),
    ...(Buffer.byteLength(message) > messageBytesMax ? [tooLong(path.child('message'), messageBytesMax)] : []),
  ];
}

function validateReason(reason: string, path: Path): FieldError[] {
  if (reason === '') return [required(path, '')];
  return [
    ...(reasonPattern.test(reason) ? [] : [invalid(path, reason, reasonText)]),
    ...(Buffer.byteLength(reason) > reasonBytesMax ? [tooLong(path, reasonBytesMax)] : []),
  ];
}
