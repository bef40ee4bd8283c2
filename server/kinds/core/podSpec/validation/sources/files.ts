import type { JsonObject } from '../../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../../api/json/defaulting.js';
import { textAt } from '../../../../../../api/json/members.js';
import { forbidden, invalid, keepable, required, type FieldError, type Path } from '../../../../../registry/validation/field.js';
import { fileMode, localPath } from '../../../../../registry/validation/values.js';
import { fieldReference, resourceReference } from '../references.js';
import { needs, type SourceRule } from './rule.js';

/** Names that start with two dots are reserved for the links of atomic updates. */
export function ownFile(file: string, path: Path): FieldError[] {
  const reserved = file.startsWith('..') && !file.startsWith('../') && file !== '..';
  return [...localPath(file, path), ...(reserved ? [invalid(path, file, "must not start with '..'")] : [])];
}
const requiredFile = (file: string, path: Path): FieldError[] => (file === '' ? [required(path, '')] : ownFile(file, path));

function keyItems(source: JsonObject, path: Path): FieldError[] {
  return objectsIn(source, 'items').flatMap((item, position) => {
    const at = path.child('items').index(position);
    return [
      ...(textAt(item, 'key') === '' ? [required(at.child('key'), '')] : []),
      ...requiredFile(textAt(item, 'path'), at.child('path')),
      ...fileMode(item['mode'], at.child('mode')),
    ];
  });
}

export const keyed =
  (nameMember: string): SourceRule =>
  (source, path) => [
    ...needs(nameMember)(source, path, ''),
    ...fileMode(source['defaultMode'], path.child('defaultMode')),
    ...keyItems(source, path),
  ];

const downwardFields = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];
const downwardResources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

function downwardItems(source: JsonObject, path: Path): FieldError[] {
  return objectsIn(source, 'items').flatMap((item) => {
    const [field, resource] = [objectAt(item, 'fieldRef'), objectAt(item, 'resourceFieldRef')];
    const referred =
      field !== null
        ? [
            ...fieldReference(field, downwardFields, path.child('fieldRef')),
            ...(resource === null ? [] : [invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')]),
          ]
        : resource !== null
          ? resourceReference(resource, downwardResources, true, path.child('resourceFieldRef'))
          : [required(path, 'one of fieldRef and resourceFieldRef is required')];
    return [...requiredFile(textAt(item, 'path'), path.child('path')), ...referred, ...fileMode(item['mode'], path.child('mode'))];
  });
}

export const downwardApi: SourceRule = (source, path) => [
  ...fileMode(source['defaultMode'], path.child('defaultMode')),
  ...downwardItems(source, path),
];

const tokenSecondsMin = 600;
const tokenSecondsMax = 2 ** 32;

interface InVolume {
  /** The path of the projected volume, where invalid files are reported. */
  readonly volumePath: Path;
}

const token = (source: JsonObject, path: Path, { volumePath }: InVolume): FieldError[] => {
  const seconds = Number(source['expirationSeconds'] ?? 3600);
  return [
    ...(seconds < tokenSecondsMin
      ? [invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > tokenSecondsMax
      ? [invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(textAt(source, 'path') === ''
      ? requiredFile('', volumePath.child('path'))
      : keepable('path of a token', requiredFile(textAt(source, 'path'), volumePath.child('path')))),
  ];
};

interface Projection {
  readonly rule: (source: JsonObject, path: Path, volume: InVolume) => FieldError[];
  /** Names an earlier file in the message; null skips the comparison. */
  readonly clash: ((source: JsonObject, file: string) => string) | null;
}

const nameOf = (source: JsonObject): string => textAt(source, 'name');
const projectedKeys = (source: JsonObject, path: Path): FieldError[] => [...needs('name')(source, path, ''), ...keyItems(source, path)];

const projections: Readonly<Record<string, Projection>> = {
  secret: { rule: projectedKeys, clash: nameOf },
  configMap: { rule: projectedKeys, clash: nameOf },
  downwardAPI: { rule: downwardItems, clash: (_, file) => file },
  serviceAccountToken: { rule: token, clash: null },
  podCertificate: { rule: (source, path) => needs('signerName', 'keyType')(source, path, ''), clash: null },
};

export const projected: SourceRule = (source, path) => {
  const taken = new Set<string>();
  return [
    ...fileMode(source['defaultMode'], path.child('defaultMode')),
    ...objectsIn(source, 'sources').flatMap((each, position) => {
      const at = path.child('sources').index(position);
      const present = Object.entries(projections).filter(([name]) => objectAt(each, name) !== null);
      const findings = present.flatMap(([name, { rule, clash }]) => {
        const held = objectAt(each, name) ?? {};
        return [...rule(held, at.child(name), { volumePath: path }), ...(clash === null ? [] : clashes(held, taken, path, clash))];
      });
      return present.length > 1 ? [...findings, forbidden(at, 'may not specify more than 1 volume type per source')] : findings;
    }),
  ];
};

/** Two sources must not write one file. */
function clashes(source: JsonObject, taken: Set<string>, path: Path, called: NonNullable<Projection['clash']>): FieldError[] {
  return objectsIn(source, 'items')
    .map((item) => textAt(item, 'path'))
    .filter((file) => file !== '')
    .flatMap((file) => {
      const again = taken.has(file);
      taken.add(file);
      return again ? [invalid(path, called(source, file), 'conflicting duplicate paths')] : [];
    });
}
