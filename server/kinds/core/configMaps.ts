import type { ConfigMap } from '../../../api/types/core/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt } from '../../../api/json/defaulting.js';
import { invalid, Path, tooLong, type FieldError } from '../../registry/validation/field.js';
import { configMapKeyProblems } from '../../registry/validation/values.js';
import { keysAt } from '../cells.js';
import type { Draft, Kind } from '../kind.js';
import { dataBytesMax, dataBytes, validateFrozen, validateKeys } from './keyedData.js';
import { inOrder, ofEach, type Found } from '../../registry/validation/ofEach.js';
import { outcomeOf } from '../../registry/stepwise.js';
import { type Steps } from '../../../api/steps.js';

const dataPath = Path.of('data');
/** The reference's spelling of a path without a name. */
const allData = Path.root.key('');

function* validate(configMap: Draft<ConfigMap>): Steps<FieldError[]> {
  const [data, binary] = [objectAt(configMap, 'data') ?? {}, objectAt(configMap, 'binaryData') ?? {}];
  const findings = yield* outcomeOf(inOrder(validateTexts(data, binary), validateKeys(binary, Path.of('binaryData'))));
  const bytes = (yield* dataBytes(data, 'utf8')) + (yield* dataBytes(binary, 'base64'));
  return bytes > dataBytesMax ? [...findings, tooLong(allData, dataBytesMax)] : findings;
}

/** Texts and bytes share their keys. */
const validateTexts = (data: JsonObject, binary: JsonObject): Found =>
  ofEach(Object.keys(data), (key) => [
    ...configMapKeyProblems(key).map((text) => invalid(dataPath.key(key), key, text)),
    ...(Object.hasOwn(binary, key) ? [invalid(dataPath.key(key), key, 'duplicate of key present in binaryData')] : []),
  ]);

export const configMaps: Kind<Draft<ConfigMap>> = {
  name: 'configmaps',
  validate,
  update: {
    validate: (configMap, old) =>
      inOrder(validateFrozen(configMap, old, { members: ['data', 'binaryData'], defaulted: ['data'] }), validate(configMap)),
  },
  cells: { Data: keysAt('data', 'binaryData') },
};
