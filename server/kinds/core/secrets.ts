import type * as v1 from '../../../api/types/core/v1.js';
import { readJson } from '../../../workers/codecs/jsonReader.js';
import {
  at,
  entryOf,
  fieldsAt,
  inOrder,
  invalid,
  keysAt,
  outcomeOf,
  Path,
  tooLong,
  type Draft,
  type FieldError,
  type Kind,
  type Steps,
} from '../language.js';
import { required } from '../../registry/validation/field.js';
import { keyPairProblem } from './keyPair.js';
import { dataBytesMax, dataBytes, validateFrozen, validateKeys, type Data } from './keyedData.js';

const defaultType = 'Opaque';
const tlsType = 'kubernetes.io/tls';
const data = Path.of('data');
const accountName = 'kubernetes.io/service-account.name';
const jsonDepthMax = 10_000;

const dataOf = ({ data = {} }: Draft<v1.Secret>): Data => data;

const stepTexts = 500;

/** `stringData` writes `data` without base64; it is never stored. */
function* foldStringData(secret: Draft<v1.Secret>): Steps<void> {
  const texts = secret.stringData ?? {};
  const keys = Object.keys(texts);
  delete secret.stringData;
  if (keys.length === 0) return;
  const folded = { ...secret.data };
  for (const [position, key] of keys.entries()) {
    folded[key] = Buffer.from(texts[key] ?? '').toString('base64');
    if (position % stepTexts === stepTexts - 1) yield;
  }
  secret.data = folded;
}

const needsKey =
  (key: string): ((secret: Draft<v1.Secret>) => FieldError[]) =>
  (secret) =>
    Object.hasOwn(dataOf(secret), key) ? [] : [required(data.key(key), '')];

/** Registry credentials are JSON that must not appear in messages. */
const needsJson =
  (key: string) =>
  (secret: Draft<v1.Secret>): FieldError[] => {
    const missing = needsKey(key)(secret);
    if (missing.length > 0) return missing;
    const result = readJson(Buffer.from(dataOf(secret)[key] ?? '', 'base64').toString(), {
      depthMax: jsonDepthMax,
      keepLiterals: false,
    });
    const problem = !result.ok
      ? result.message
      : isObject(result.value)
        ? null
        : `json: cannot unmarshal ${kindOf(result.value)} into Go value of type map[string]interface {}`;
    return problem === null ? [] : [invalid(data.key(key), '<secret contents redacted>', problem)];
  };

const isObject = (value: unknown): boolean => value === null || (typeof value === 'object' && !Array.isArray(value));
const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'number';

/** Required content by type. Other types may have any. */
const byType: Readonly<Record<string, (secret: Draft<v1.Secret>) => FieldError[]>> = {
  'kubernetes.io/service-account-token': (secret) =>
    (secret.metadata.annotations?.[accountName] ?? '') === '' ? [required(Path.of('metadata', 'annotations').key(accountName), '')] : [],
  'kubernetes.io/dockercfg': needsJson('.dockercfg'),
  'kubernetes.io/dockerconfigjson': needsJson('.dockerconfigjson'),
  'kubernetes.io/basic-auth': (secret) =>
    ['username', 'password'].some((key) => Object.hasOwn(dataOf(secret), key))
      ? []
      : ['username', 'password'].flatMap((key) => needsKey(key)(secret)),
  'kubernetes.io/ssh-auth': (secret) => ((dataOf(secret)['ssh-privatekey'] ?? '') === '' ? [required(data.key('ssh-privatekey'), '')] : []),
  [tlsType]: (secret) => [...needsKey('tls.crt')(secret), ...needsKey('tls.key')(secret)],
};

function* validate(secret: Draft<v1.Secret>): Steps<FieldError[]> {
  return [
    ...(yield* outcomeOf(validateKeys(dataOf(secret), data))),
    ...((yield* dataBytes(dataOf(secret), 'base64')) > dataBytesMax ? [tooLong(data, dataBytesMax)] : []),
    ...(entryOf(byType, secret.type ?? '')?.(secret) ?? []),
  ];
}

export const secrets: Kind<Draft<v1.Secret>> = {
  name: 'secrets',
  defaults(secret) {
    if ((secret.type ?? '') === '') secret.type = defaultType;
    return secret.stringData === undefined ? undefined : foldStringData(secret);
  },
  validate,
  warnings(secret) {
    if (secret.type !== tlsType) return [];
    const [certificate, key] = ['tls.crt', 'tls.key'].map((name) => Buffer.from(dataOf(secret)[name] ?? '', 'base64').toString('latin1'));
    const problem = keyPairProblem(certificate ?? '', key ?? '');
    return problem === null ? [] : [problem];
  },
  update: {
    validate: (secret, old) =>
      inOrder(
        secret.type === old.type ? [] : [invalid(Path.of('type'), secret.type, 'field is immutable')],
        validateFrozen(secret, old, { members: ['data'] }),
        validate(secret),
      ),
  },
  fields: { values: fieldsAt('type') },
  cells: { Type: at('type', ''), Data: keysAt('data') },
};
