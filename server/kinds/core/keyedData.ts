import { configMapKeyProblems, forbidden, invalid, ofEach, Path, sameValue, type FieldError, type Found, type Steps } from '../language.js';

export const dataBytesMax = 1024 * 1024;
const frozen = 'field is immutable when `immutable` is set';

export type Data = Readonly<Record<string, string | undefined>>;

export const validateKeys = (data: Data, path: Path): Found =>
  ofEach(Object.keys(data), (key) => configMapKeyProblems(key).map((text) => invalid(path.key(key), key, text)));

const stepValues = 1_000;

/** The size of texts, or of decoded base64. */
export function* dataBytes(data: Data, encoding: 'utf8' | 'base64'): Steps<number> {
  let [bytes, position] = [0, 0];
  for (const key of Object.keys(data)) {
    const value = data[key];
    if (typeof value === 'string') bytes += Buffer.byteLength(value, encoding);
    if (++position % stepValues === 0) yield;
  }
  return bytes;
}

interface FrozenMembers<M> {
  readonly members: readonly M[];
  /** Members that defaults always set (SetDefaults_ConfigMap of the reference). Default: none. */
  readonly defaulted?: readonly M[];
}
type Keyed<M extends string> = { readonly [Member in M]?: Data } & { readonly immutable?: boolean };

/** Empty maps are not stored, so sending one is a change, except where defaults always set it. */
export function validateFrozen<M extends string>(
  object: Keyed<M>,
  old: Keyed<M>,
  { members, defaulted = [] }: FrozenMembers<M>,
): FieldError[] {
  if (old.immutable !== true) return [];
  const same = (member: M): boolean => {
    const [now, before]: (Data | undefined)[] = [object[member], old[member]];
    return now === undefined || defaulted.includes(member)
      ? sameValue(now ?? {}, before ?? {})
      : sameValue(now, before ?? {}) && Object.keys(before ?? {}).length > 0;
  };
  const changed = members.filter((member) => !same(member));
  return [...(object.immutable === true ? [] : ['immutable']), ...changed].map((member) => forbidden(Path.of(member), frozen));
}
