import type { JsonObject } from '../../../../api/object.js';
import { textAt } from '../../../members.js';
import { invalid, notSupported, type Path, required, type FieldError } from '../../../validation/field.js';
import { qualifiedNameComplaints } from '../../../validation/names.js';

/** Fields of a pod that can be named at all; which of them may be used depends on the place. */
const podFields: ReadonlySet<string> = new Set([
  'metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid', 'spec.nodeName', 'spec.restartPolicy', 'spec.serviceAccountName',
  'spec.schedulerName', 'status.phase', 'status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs',
]);
const subscript = /^(metadata\.(?:annotations|labels))\['([^']*)'\]$/;

/** A reference to a field of the pod (`metadata.labels['app']`). `supported` is what this place allows, printed in its order. */
export function fieldReference(reference: JsonObject, supported: readonly string[], path: Path): FieldError[] {
  const field = textAt(reference, 'fieldPath');
  if (textAt(reference, 'apiVersion') === '') return [required(path.child('apiVersion'), '')];
  if (field === '') return [required(path.child('fieldPath'), '')];
  const [, base, key] = subscript.exec(field) ?? [];
  if (base !== undefined) return qualifiedNameComplaints(base === 'metadata.annotations' ? (key ?? '').toLowerCase() : key ?? '').map(text => invalid(path.child('fieldPath'), key ?? '', text));
  if (!podFields.has(field)) return [invalid(path.child('fieldPath'), field, `error converting fieldPath: field label not supported: ${field}`)];
  return supported.includes(field) ? [] : [notSupported(path.child('fieldPath'), field, supported)];
}

/** A reference to a container's resource (`limits.cpu`). */
export function resourceReference(reference: JsonObject, supported: readonly string[], ofOtherContainer: boolean, path: Path): FieldError[] {
  const resource = textAt(reference, 'resource');
  if (ofOtherContainer && textAt(reference, 'containerName') === '') return [required(path.child('containerName'), '')];
  if (resource === '') return [required(path.child('resource'), '')];
  return supported.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource) ? [] : [notSupported(path.child('resource'), resource, supported)];
}
