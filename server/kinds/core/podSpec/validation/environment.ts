import type * as v1 from '../../../../../api/types/core/v1.js';
import {
  all,
  andThen,
  configMapKeyProblems,
  dnsLabel,
  dnsSubdomain,
  each,
  inOrder,
  invalid,
  isSet,
  members,
  nonZero,
  ofEach,
  off,
  optional,
  required,
  subdomainName,
  when,
  type FieldError,
  type Found,
  type Path,
  type Writable,
} from '../../../language.js';
import type { PodFacts } from './facts.js';
import { fieldReference, resourceReference } from './references.js';
import { ownFile } from './sources/files.js';

const form =
  (pattern: RegExp, text: string) =>
  (value: string, path: Path): FieldError[] =>
    pattern.test(value) ? [] : [invalid(path, value, text)];

const variableName = form(
  /^[ -<>-~]+$/,
  "a valid environment variable name must consist only of printable ASCII characters other than '='",
);
/** The earlier rule, which is stricter: names of shell variables, and more. */
const earlierName = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;
const strictName = form(
  earlierName,
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
);

const key = (value: string, path: Path): FieldError[] => configMapKeyProblems(value).map((text) => invalid(path, value, text));
const keyReference = members<v1.ConfigMapKeySelector>({
  name: (value, path) => dnsSubdomain(value ?? '', path),
  key: required(key),
});

const sources = members<v1.EnvVarSource, PodFacts>({
  fieldRef: optional(
    fieldReference(
      'metadata.name',
      'metadata.namespace',
      'metadata.uid',
      'spec.nodeName',
      'spec.serviceAccountName',
      'status.hostIP',
      'status.hostIPs',
      'status.podIP',
      'status.podIPs',
    ),
  ),
  resourceFieldRef: optional(resourceReference),
  configMapKeyRef: optional(keyReference),
  secretKeyRef: optional(keyReference),
  fileKeyRef: optional(
    members<v1.FileKeySelector>({ key: required(variableName), volumeName: required(dnsLabel), path: required(ownFile) }),
  ),
});

function oneSource(source: Writable<v1.EnvVarSource>, path: Path, { value }: Writable<v1.EnvVar>): FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(isSet).length;
  const refused = (text: string): FieldError[] => [invalid(path, '', text)];
  if (count === 0) return refused('must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`');
  if ((value ?? '') !== '') return refused('may not be specified when `value` is not empty');
  return count > 1 ? refused('may not have more than one field specified at a time') : [];
}

export const env = each(
  members<v1.EnvVar, PodFacts>({
    name: required(
      when((name: string) => !earlierName.test(name), andThen(variableName, off('RelaxedEnvironmentVariableValidation', strictName))),
    ),
    valueFrom: optional(all<Writable<v1.EnvVarSource>, Writable<v1.EnvVar>, PodFacts>(sources, oneSource)),
  }),
);

const relativeName = (value: string, path: Path): FieldError[] => subdomainName(value, true).map((text) => invalid(path, value, text));
const named = optional(members<v1.ConfigMapEnvSource>({ name: required(relativeName) }));
const origin = members<v1.EnvFromSource>({ prefix: nonZero(variableName), configMapRef: named, secretRef: named });

/** Findings about the number of sources name the list, as in the reference. */
export function envFrom(list: Writable<v1.EnvFromSource>[] | undefined, path: Path): Found {
  return ofEach(list ?? [], (source, position) => {
    const count = [source.configMapRef, source.secretRef].filter(isSet).length;
    return inOrder(
      origin(source, path.index(position), list),
      count === 0 ? [invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')] : [],
      count > 1 ? [invalid(path, '', 'may not have more than one field specified at a time')] : [],
    );
  });
}
