import type { JsonObject } from '../../../../api/object.js';
import { objectAt } from '../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import { invalid, keepable, required, type FieldError, type Path } from '../../../registry/validation/field.js';
import { validateLabelSelector } from '../../../registry/validation/labelselector.js';
import { dnsLabelName } from '../../../registry/validation/names.js';
import { isNegative, isZero } from '../../../registry/validation/quantities.js';
import { inOrder, type Found } from '../../../registry/validation/ofEach.js';
import { dnsSubdomain, named } from '../../../registry/validation/values.js';
import { validateAccessModes } from '../accessModes.js';
import { validateClassName, validateVolumeMode } from '../persistentVolume/spec.js';

/** Checks claims and the claim templates of workloads. */
export function validateClaimSpec(spec: JsonObject, path: Path): Found {
  const selector = objectAt(spec, 'selector');
  return inOrder(
    itemsOf(spec['accessModes']).length === 0 ? [required(path.child('accessModes'), 'at least 1 access mode is required')] : [],
    selector === null ? [] : validateLabelSelector(selector, path.child('selector')),
    validateAccessModes(spec, path.child('accessModes')),
    validateSize(spec, path.child('resources').key('storage')),
    validateClassName(textAt(spec, 'storageClassName'), path.child('storageClassName')),
    validateVolumeMode(spec, path.child('volumeMode')),
    validateSources(spec, path),
    validateClassName(textAt(spec, 'volumeAttributesClassName'), path.child('volumeAttributesClassName')),
  );
}

function validateSize(spec: JsonObject, path: Path): FieldError[] {
  const size = objectAt(objectAt(spec, 'resources') ?? {}, 'requests')?.['storage'];
  if (size === undefined || size === null) return [required(path, '')];
  return isNegative(size) || isZero(size) ? [invalid(path, size, 'must be greater than zero')] : [];
}

function validateSources(spec: JsonObject, path: Path): FieldError[] {
  const [older, newer] = [objectAt(spec, 'dataSource'), objectAt(spec, 'dataSourceRef')];
  const findings = [
    ...(older === null ? [] : validateSource(older, path.child('dataSource'))),
    ...(newer === null ? [] : validateSource(newer, path.child('dataSourceRef'))),
  ];
  if (older === null || newer === null) return findings;
  const shown = path.child('dataSource').toString();
  if (textAt(newer, 'namespace') !== '')
    return [...findings, invalid(path, shown, 'may not be specified when dataSourceRef.namespace is specified')];
  const same = ['apiGroup', 'kind', 'name'].every((member) => textAt(older, member) === textAt(newer, member));
  return same ? findings : [...findings, invalid(path, shown, 'must match dataSourceRef')];
}

function validateSource(source: JsonObject, path: Path): FieldError[] {
  const [group, kind, namespace] = [textAt(source, 'apiGroup'), textAt(source, 'kind'), textAt(source, 'namespace')];
  return [
    ...['name', 'kind'].filter((member) => textAt(source, member) === '').map((member) => required(path.child(member), '')),
    ...(group === '' && kind !== 'PersistentVolumeClaim'
      ? [invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup")]
      : []),
    ...(group === '' ? [] : keepable('group of a source', dnsSubdomain(group, path.child('apiGroup')))),
    ...(namespace === '' ? [] : named(namespace, dnsLabelName, path.child('namespace'))),
  ];
}
