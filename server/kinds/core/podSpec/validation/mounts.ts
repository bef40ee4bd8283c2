import type { JsonObject } from '../../../../../api/object.js';
import { objectAt, objectsIn } from '../../../../../api/json/defaulting.js';
import { textAt } from '../../../../../api/json/members.js';
import { fieldNotFound, forbidden, invalid, type Path, required, type FieldError } from '../../../../registry/validation/field.js';
import { localPath, optionallyOneOf } from '../../../../registry/validation/values.js';
import { ofEach, type Found } from '../../../../registry/validation/ofEach.js';

export type Volumes = ReadonlyMap<string, JsonObject>;

const notSet = (volume: JsonObject, sources: readonly string[]): boolean => sources.every((source) => objectAt(volume, source) === null);

export function validateVolumeMounts(container: JsonObject, volumes: Volumes, containerPath: Path): Found {
  const path = containerPath.child('volumeMounts');
  const mountPaths = new Set<string>();
  const devicePaths = new Set(objectsIn(container, 'volumeDevices').map((device) => textAt(device, 'devicePath')));
  const deviceNames = new Set(objectsIn(container, 'volumeDevices').map((device) => textAt(device, 'name')));
  return ofEach(objectsIn(container, 'volumeMounts'), (mount, position) => {
    const at = path.index(position);
    const name = textAt(mount, 'name');
    const mountPath = textAt(mount, 'mountPath');
    const findings: FieldError[] = [];
    if (name === '') findings.push(required(at.child('name'), ''));
    if (!volumes.has(name)) findings.push(fieldNotFound(at.child('name'), name));
    if (mountPath === '') findings.push(required(at.child('mountPath'), ''));
    if (mountPaths.has(mountPath)) findings.push(invalid(at.child('mountPath'), mountPath, 'must be unique'));
    mountPaths.add(mountPath);
    if (deviceNames.has(name)) findings.push(invalid(at.child('name'), name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath))
      findings.push(invalid(at.child('mountPath'), mountPath, 'must not already exist as a path in volumeDevices'));
    if (objectAt(volumes.get(name) ?? {}, 'image') !== null) {
      for (const member of ['subPath', 'subPathExpr'])
        if (textAt(mount, member) !== '') findings.push(invalid(at.child(member), mount[member], 'not allowed in image volume sources'));
    }
    return [...findings, ...subPaths(mount, path, at), ...propagation(mount, container, path), ...recursiveReadOnly(mount, path)];
  });
}

function subPaths(mount: JsonObject, list: Path, at: Path): FieldError[] {
  const [subPath, expression] = [textAt(mount, 'subPath'), textAt(mount, 'subPathExpr')];
  return [
    ...(subPath === '' ? [] : localPath(subPath, list.child('subPath'))),
    ...(expression === ''
      ? []
      : [
          ...(subPath === '' ? [] : [invalid(at.child('subPathExpr'), expression, 'subPathExpr and subPath are mutually exclusive')]),
          ...localPath(expression, list.child('subPathExpr')),
        ]),
  ];
}

function propagation(mount: JsonObject, container: JsonObject, list: Path): FieldError[] {
  const mode = mount['mountPropagation'];
  const at = list.child('mountPropagation');
  if (mode === 'Bidirectional' && objectAt(container, 'securityContext')?.['privileged'] !== true) {
    return [forbidden(at, 'Bidirectional mount propagation is available only to privileged containers')];
  }
  return optionallyOneOf(mode, ['Bidirectional', 'HostToContainer', 'None'], at);
}

function recursiveReadOnly(mount: JsonObject, list: Path): FieldError[] {
  const mode = mount['recursiveReadOnly'];
  if (mode === undefined || mode === null || mode === 'Disabled') return [];
  const at = list.child('recursiveReadOnly');
  if (mode === 'Enabled' || mode === 'IfPossible') {
    const spread = mount['mountPropagation'] ?? 'None';
    return [
      ...(mount['readOnly'] === true ? [] : [forbidden(at, 'may only be specified when readOnly is true')]),
      ...(spread === 'None' ? [] : [forbidden(at, 'may only be specified when mountPropagation is None or not specified')]),
    ];
  }
  return optionallyOneOf(mode, ['Disabled', 'Enabled', 'IfPossible'], at);
}

export function validateVolumeDevices(container: JsonObject, volumes: Volumes, containerPath: Path): Found {
  const paths = new Set<string>();
  const names = new Set<string>();
  const mounted = objectsIn(container, 'volumeMounts');
  const mountedNames = new Set(mounted.map((mount) => textAt(mount, 'name')));
  const mountedPaths = new Set(mounted.map((mount) => textAt(mount, 'mountPath')));
  return ofEach(objectsIn(container, 'volumeDevices'), (device, position) => {
    const at = containerPath.child('volumeDevices').index(position);
    const name = textAt(device, 'name');
    const devicePath = textAt(device, 'devicePath');
    const volume = volumes.get(name);
    const findings: FieldError[] = [];
    if (name === '') findings.push(required(at.child('name'), ''));
    if (names.has(name)) findings.push(invalid(at.child('name'), name, 'must be unique'));
    if (volume === undefined) findings.push(fieldNotFound(at.child('name'), name));
    else if (notSet(volume, ['persistentVolumeClaim', 'ephemeral']))
      findings.push(
        invalid(at.child('name'), name, 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'),
      );
    if (devicePath === '') findings.push(required(at.child('devicePath'), ''));
    if (paths.has(devicePath)) findings.push(invalid(at.child('devicePath'), devicePath, 'must be unique'));
    const climbs = devicePath.split('/').includes('..');
    if (climbs) findings.push(invalid(at.child('devicePath'), devicePath, "can not contain backsteps ('..')"));
    if (mountedNames.has(name)) findings.push(invalid(at.child('name'), name, 'must not already exist in volumeMounts'));
    if (mountedPaths.has(devicePath))
      findings.push(invalid(at.child('devicePath'), devicePath, 'must not already exist as a path in volumeMounts'));
    if (!climbs) paths.add(devicePath);
    if (name !== '') names.add(name);
    return findings;
  });
}
