import type * as v1 from '../../../api/types/core/v1.js';
import {
  configMapKeyProblems,
  inOrder,
  invalid,
  keysAt,
  objectRules,
  ofEach,
  optional,
  outcomeOf,
  Path,
  tooLong,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Steps,
} from '../language.js';
import { dataBytesMax, dataBytes, validateFrozen, validateKeys, type Data } from './keyedData.js';

/** The reference's spelling of a path without a name. */
const allData = Path.root.key('');

/** Texts and bytes share their keys. */
const texts = (data: Data, path: Path, { binaryData = {} }: Draft<v1.ConfigMap>): Found =>
  ofEach(Object.keys(data), (key) => [
    ...configMapKeyProblems(key).map((text) => invalid(path.key(key), key, text)),
    ...(Object.hasOwn(binaryData, key) ? [invalid(path.key(key), key, 'duplicate of key present in binaryData')] : []),
  ]);
const rules = objectRules<v1.ConfigMap>({ data: optional(texts), binaryData: optional(validateKeys) });

function* validate(configMap: Draft<v1.ConfigMap>): Steps<FieldError[]> {
  const { data = {}, binaryData = {} } = configMap;
  const findings = yield* outcomeOf(rules(configMap));
  const bytes = (yield* dataBytes(data, 'utf8')) + (yield* dataBytes(binaryData, 'base64'));
  return bytes > dataBytesMax ? [...findings, tooLong(allData, dataBytesMax)] : findings;
}

export const configMaps: Kind<Draft<v1.ConfigMap>> = {
  name: 'configmaps',
  validate,
  update: {
    validate: (configMap, old) =>
      inOrder(validateFrozen(configMap, old, { members: ['data', 'binaryData'], defaulted: ['data'] }), validate(configMap)),
  },
  cells: { Data: keysAt('data', 'binaryData') },
};
