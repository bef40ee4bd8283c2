import type * as v1 from '../../../../../api/types/core/v1.js';
import {
  fieldNotFound,
  forbidden,
  invalid,
  isSet,
  itemsOf,
  localPath,
  missing,
  ofEach,
  optionallyOneOf,
  type FieldError,
  type Found,
  type Path,
  type Writable,
} from '../../../language.js';
import type { PodFacts } from './facts.js';

type Container = Writable<v1.Container>;
type Mount = Writable<v1.VolumeMount>;
type Device = Writable<v1.VolumeDevice>;

const onlyIf = (holds: boolean, finding: () => FieldError): FieldError[] => (holds ? [finding()] : []);

export function volumeMounts(mounts: Mount[] | undefined, path: Path, { volumes }: PodFacts, container: Container): Found {
  const mountPaths = new Set<string>();
  const devices = itemsOf(container.volumeDevices);
  const devicePaths = new Set(devices.map(({ devicePath = '' }) => devicePath));
  const deviceNames = new Set(devices.map(({ name = '' }) => name));
  return ofEach(itemsOf(mounts), (mount, position) => {
    const at = path.index(position);
    const { name = '', mountPath = '' } = mount;
    const volume = volumes.get(name);
    const findings: FieldError[] = [];
    if (name === '') findings.push(missing(at.child('name'), ''));
    if (volume === undefined) findings.push(fieldNotFound(at.child('name'), name));
    if (mountPath === '') findings.push(missing(at.child('mountPath'), ''));
    if (mountPaths.has(mountPath)) findings.push(invalid(at.child('mountPath'), mountPath, 'must be unique'));
    mountPaths.add(mountPath);
    if (deviceNames.has(name)) findings.push(invalid(at.child('name'), name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath))
      findings.push(invalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
    if (isSet(volume?.image)) findings.push(...ofImage(mount, at));
    findings.push(...subPaths(mount, path, at), ...propagation(mount, container, path), ...recursiveReadOnly(mount, path));
    return findings;
  });
}

const ofImage = (mount: Mount, at: Path): FieldError[] =>
  (['subPath', 'subPathExpr'] as const).flatMap((member) =>
    onlyIf((mount[member] ?? '') !== '', () => invalid(at.child(member), mount[member], 'not allowed in image volume sources')),
  );

function subPaths({ subPath = '', subPathExpr = '' }: Mount, list: Path, at: Path): FieldError[] {
  if (subPath === '' && subPathExpr === '') return [];
  const both = subPath !== '' && subPathExpr !== '';
  return [
    ...(subPath === '' ? [] : localPath(subPath, list.child('subPath'))),
    ...onlyIf(both, () => invalid(at.child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive')),
    ...(subPathExpr === '' ? [] : localPath(subPathExpr, list.child('subPathExpr'))),
  ];
}

function propagation({ mountPropagation: mode }: Mount, { securityContext }: Container, list: Path): FieldError[] {
  if (!isSet(mode)) return [];
  const at = list.child('mountPropagation');
  return mode === 'Bidirectional' && securityContext?.privileged !== true
    ? [forbidden(at, 'Bidirectional mount propagation is available only to privileged containers')]
    : optionallyOneOf(mode, ['Bidirectional', 'HostToContainer', 'None'], at);
}

function recursiveReadOnly({ recursiveReadOnly: mode, readOnly, mountPropagation }: Mount, list: Path): FieldError[] {
  if (!isSet(mode) || mode === 'Disabled') return [];
  const at = list.child('recursiveReadOnly');
  if (mode !== 'Enabled' && mode !== 'IfPossible') return optionallyOneOf(mode, ['Disabled', 'Enabled', 'IfPossible'], at);
  return [
    ...onlyIf(readOnly !== true, () => forbidden(at, 'may only be specified when readOnly is true')),
    ...onlyIf((mountPropagation ?? 'None') !== 'None', () =>
      forbidden(at, 'may only be specified when mountPropagation is None or not specified'),
    ),
  ];
}

export function volumeDevices(devices: Device[] | undefined, path: Path, { volumes }: PodFacts, container: Container): Found {
  if (itemsOf(devices).length === 0) return [];
  const paths = new Set<string>();
  const names = new Set<string>();
  const mounts = itemsOf(container.volumeMounts);
  const mountedNames = new Set(mounts.map(({ name = '' }) => name));
  const mountedPaths = new Set(mounts.map(({ mountPath = '' }) => mountPath));
  return ofEach(itemsOf(devices), ({ name = '', devicePath = '' }, position) => {
    const [ofName, ofPath] = [path.index(position).child('name'), path.index(position).child('devicePath')];
    const volume = volumes.get(name);
    const climbs = devicePath.split('/').includes('..');
    const findings: FieldError[] = [];
    if (name === '') findings.push(missing(ofName, ''));
    if (names.has(name)) findings.push(invalid(ofName, name, 'must be unique'));
    if (volume === undefined) findings.push(fieldNotFound(ofName, name));
    else if (!isSet(volume.persistentVolumeClaim) && !isSet(volume.ephemeral))
      findings.push(invalid(ofName, name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'));
    if (devicePath === '') findings.push(missing(ofPath, ''));
    if (paths.has(devicePath)) findings.push(invalid(ofPath, devicePath, 'must be unique'));
    if (climbs) findings.push(invalid(ofPath, devicePath, "can not contain backsteps ('..')"));
    if (mountedNames.has(name)) findings.push(invalid(ofName, name, 'must not already exist in volumeMounts'));
    if (mountedPaths.has(devicePath)) findings.push(invalid(ofPath, devicePath, 'must not already exist as a path in volumeMounts'));
    if (!climbs) paths.add(devicePath);
    if (name !== '') names.add(name);
    return findings;
  });
}
