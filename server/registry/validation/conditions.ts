import type * as metaV1 from '../../../api/types/meta/v1.js';
import type { Writable } from '../draft.js';
import { invalid } from './field.js';
import { all, distinct, maxBytes, members, nonZero, oneOf, orEmpty, orZero, required, requiredPointer } from './table.js';
import { qualified } from './values.js';

const reasonBytesMax = 1024;
const messageBytesMax = 32 * 1024;
const reasonSource = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonText =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'" +
  ` (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${reasonSource}')`;
const reasonPattern = new RegExp(`^${reasonSource}$`);

const condition = members<metaV1.Condition>({
  type: orEmpty(qualified),
  status: oneOf('False', 'True', 'Unknown'),
  observedGeneration: orZero((value, path) => (value < 0 ? [invalid(path, value, 'must be greater than or equal to zero')] : [])),
  lastTransitionTime: requiredPointer(),
  reason: required((reason, path) => (reasonPattern.test(reason) ? [] : [invalid(path, reason, reasonText)]), maxBytes(reasonBytesMax)),
  message: nonZero(maxBytes(messageBytesMax)),
});

/** `meta.k8s.io/v1 Condition`: one of each type, each complete. */
export const conditions = distinct<Writable<metaV1.Condition>>('type', (once) => all(once, condition));
