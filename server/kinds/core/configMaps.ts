import type { ApiObject, JsonObject } from '../../api/object.js';
import { objectAt } from '../../registry/defaulting.js';
import { invalid, Path, tooLong, type FieldError } from '../../registry/validation/field.js';
import { configMapKeyComplaints } from '../../registry/validation/values.js';
import { keysAt } from '../cells.js';
import type { Kind } from '../kind.js';
import { DATA_BYTES_MAX, dataBytes, validateFrozen, validateKeys } from './keyedData.js';

const DATA = Path.of('data');
/** Of no member by itself; the reference spells a path without a name so. */
const ALL_DATA = Path.root.key('');

function validate(configMap: ApiObject): FieldError[] {
  const [data, binary] = [objectAt(configMap, 'data') ?? {}, objectAt(configMap, 'binaryData') ?? {}];
  return [
    ...validateTexts(data, binary),
    ...validateKeys(binary, Path.of('binaryData')),
    ...(dataBytes(data, 'utf8') + dataBytes(binary, 'base64') > DATA_BYTES_MAX ? [tooLong(ALL_DATA, DATA_BYTES_MAX)] : []),
  ];
}

/** Texts and bytes share their keys. */
const validateTexts = (data: JsonObject, binary: JsonObject): FieldError[] =>
  Object.keys(data).flatMap((key) => [
    ...configMapKeyComplaints(key).map((text) => invalid(DATA.key(key), key, text)),
    ...(Object.hasOwn(binary, key) ? [invalid(DATA.key(key), key, 'duplicate of key present in binaryData')] : []),
  ]);

export const configMaps: Kind = {
  name: 'configmaps',
  validate,
  update: { validate: (configMap, old) => [...validateFrozen(configMap, old, ['data', 'binaryData'], Path.root), ...validate(configMap)] },
  cells: { Data: keysAt(['data'], ['binaryData']) },
};
