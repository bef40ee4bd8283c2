import type * as v1 from '../../../../../../api/types/core/v1.js';
import {
  all,
  each,
  fileMode,
  forbidden,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  keepable,
  localPath,
  members,
  missing,
  ofEach,
  optional,
  required,
  type FieldError,
  type Found,
  type Path,
  type Rule,
  type Writable,
} from '../../../../language.js';
import { fieldReference, otherContainersResource } from '../references.js';

/** Names that start with two dots are reserved for the links of atomic updates. */
export function ownFile(file: string, path: Path): FieldError[] {
  const reserved = file.startsWith('..') && !file.startsWith('../') && file !== '..';
  return [...localPath(file, path), ...(reserved ? [invalid(path, file, "must not start with '..'")] : [])];
}

const file = required(ownFile);
const mode = optional(fileMode);
const items = each(members<v1.KeyToPath>({ key: required(), path: file, mode }));

export const secret = members<v1.SecretVolumeSource>({ secretName: required(), defaultMode: mode, items });
export const configMap = members<v1.ConfigMapVolumeSource>({ name: required(), defaultMode: mode, items });

const ofField = fieldReference('metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid');
const both = 'fieldRef and resourceFieldRef can not be specified simultaneously';

function oneReference({ fieldRef, resourceFieldRef }: Writable<v1.DownwardAPIVolumeFile>, path: Path): FieldError[] {
  if (isSet(fieldRef))
    return [...ofField(fieldRef, path.child('fieldRef')), ...(isSet(resourceFieldRef) ? [invalid(path, 'resource', both)] : [])];
  return isSet(resourceFieldRef)
    ? otherContainersResource(resourceFieldRef, path.child('resourceFieldRef'))
    : [missing(path, 'one of fieldRef and resourceFieldRef is required')];
}

const downwardFile = all<Writable<v1.DownwardAPIVolumeFile>>(
  members<v1.DownwardAPIVolumeFile>({ path: file }),
  oneReference,
  members<v1.DownwardAPIVolumeFile>({ mode }),
);

/** Findings about files name the source. */
const downwardFiles = (source: Writable<v1.DownwardAPIProjection>, path: Path): Found =>
  ofEach(itemsOf(source.items), (item) => downwardFile(item, path, source));

export const downwardApi = all<Writable<v1.DownwardAPIVolumeSource>>(
  members<v1.DownwardAPIVolumeSource>({ defaultMode: mode }),
  downwardFiles,
);

const tokenSecondsMax = 2 ** 32;
const tokenSeconds = (given: number | undefined, path: Path): FieldError[] => {
  const seconds = Number(given ?? 3600);
  return [
    ...(seconds < 600 ? [invalid(path, seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(seconds > tokenSecondsMax ? [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')] : []),
  ];
};
const tokenRule = members<v1.ServiceAccountTokenProjection>({ expirationSeconds: tokenSeconds });

/** Invalid files are reported at the path of the volume. */
const token = (source: Writable<v1.ServiceAccountTokenProjection>, path: Path, volume: Path): Found => {
  const [at, name = ''] = [volume.child('path'), source.path];
  return inOrder(tokenRule(source, path, null), name === '' ? [missing(at, '')] : keepable('path of a token', ownFile(name, at)));
};

const projectedSecret = members<v1.SecretProjection>({ name: required(), items });
const certificate = members<v1.PodCertificateProjection>({ signerName: required(), keyType: required() });

/** Two sources must not write one file; `called` names an earlier one in the message. */
function clashes(list: readonly { path?: string }[] | undefined, taken: Set<string>, path: Path, called?: string): FieldError[] {
  return itemsOf(list).flatMap(({ path: name = '' }) => {
    if (name === '') return [];
    const again = taken.has(name);
    taken.add(name);
    return again ? [invalid(path, called ?? name, 'conflicting duplicate paths')] : [];
  });
}

function projection(source: Writable<v1.VolumeProjection>, at: Path, volume: Path, taken: Set<string>): Found {
  const { secret, configMap, downwardAPI, serviceAccountToken, podCertificate } = source;
  const found: Found[] = [];
  const keyed = (held: Writable<v1.SecretProjection> | undefined, member: string): void => {
    if (isSet(held))
      found.push(inOrder(projectedSecret(held, at.child(member), source), clashes(held.items, taken, volume, held.name ?? '')));
  };
  keyed(secret, 'secret');
  keyed(configMap, 'configMap');
  if (isSet(downwardAPI))
    found.push(inOrder(downwardFiles(downwardAPI, at.child('downwardAPI')), clashes(downwardAPI.items, taken, volume)));
  if (isSet(serviceAccountToken)) found.push(token(serviceAccountToken, at.child('serviceAccountToken'), volume));
  if (isSet(podCertificate)) found.push(certificate(podCertificate, at.child('podCertificate'), source));
  return found.length > 1 ? inOrder(...found, [forbidden(at, 'may not specify more than 1 volume type per source')]) : (found[0] ?? []);
}

export const projected: Rule<Writable<v1.ProjectedVolumeSource>> = (source, path) => {
  const taken = new Set<string>();
  const list = path.child('sources');
  return inOrder(
    mode(source.defaultMode, path.child('defaultMode'), source),
    ofEach(itemsOf(source.sources), (each, position) => projection(each, list.index(position), path, taken)),
  );
};
