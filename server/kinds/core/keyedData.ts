import type { ApiObject, JsonObject } from '../../../api/object.js';
import { sameValue } from '../../../api/json/equality.js';
import { forbidden, invalid, Path, type FieldError } from '../../registry/validation/field.js';
import { configMapKeyProblems } from '../../registry/validation/values.js';
import { ofEach, type Found } from '../../registry/validation/ofEach.js';
import { type Steps } from '../../../api/steps.js';

/** Common rules of config maps and secrets: named values of bounded size, which may be immutable. */
export const dataBytesMax = 1024 * 1024;
const frozen = 'field is immutable when `immutable` is set';

export const validateKeys = (data: JsonObject, path: Path): Found =>
  ofEach(Object.keys(data), (key) => configMapKeyProblems(key).map((text) => invalid(path.key(key), key, text)));

const stepValues = 1_000;

/** The size of texts, or of decoded base64. */
export function* dataBytes(data: JsonObject, encoding: 'utf8' | 'base64'): Steps<number> {
  let [bytes, position] = [0, 0];
  for (const key of Object.keys(data)) {
    const value = data[key];
    if (typeof value === 'string') bytes += Buffer.byteLength(value, encoding);
    if (++position % stepValues === 0) yield;
  }
  return bytes;
}

interface FrozenMembers {
  readonly members: readonly string[];
  /** Members that defaults always set (SetDefaults_ConfigMap of the reference). Default: none. */
  readonly defaulted?: readonly string[];
}

/** Empty maps are not stored, so sending one is a change, except where defaults always set it. */
export function validateFrozen(object: ApiObject, old: ApiObject, { members, defaulted = [] }: FrozenMembers): FieldError[] {
  if (old['immutable'] !== true) return [];
  const same = (member: string): boolean => {
    const [now, before] = [object[member] ?? null, old[member] ?? {}];
    return now === null || defaulted.includes(member)
      ? sameValue(now ?? {}, before)
      : sameValue(now, before) && Object.keys(before as JsonObject).length > 0;
  };
  const changed = members.filter((member) => !same(member));
  return [...(object['immutable'] === true ? [] : ['immutable']), ...changed].map((member) => forbidden(Path.of(member), frozen));
}
