import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { objectAt } from '../../../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../../../api/json/members.js';
import { differenceOf } from '../../../registry/validation/difference.js';
import { forbidden, invalid, Path, type FieldError } from '../../../registry/validation/field.js';
import { printedMap, printedSelector } from '../../../registry/validation/printed.js';
import { compareAmounts } from '../../../registry/validation/quantities.js';
import { classAnnotation } from '../persistentVolumes.js';
import { copySource } from './sources.js';
import { specOf, statusOf } from '../../parts.js';

const specPath = Path.of('spec');
const immutable = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

const requestsOf = (spec: JsonObject): JsonObject => objectAt(objectAt(spec, 'resources') ?? {}, 'requests') ?? {};

/** Quotas and volumes depend on claims. */
export function validateClaimChange(claim: ApiObject, old: ApiObject): FieldError[] {
  const [spec, before] = [specOf(claim), { ...specOf(old) }];
  copySource(before);
  const adopted = {
    annotated: claim.metadata.annotations?.[classAnnotation],
    annotatedBefore: old.metadata.annotations?.[classAnnotation],
  };
  const gainsClass =
    before['storageClassName'] == null &&
    spec['storageClassName'] != null &&
    (adopted.annotatedBefore === undefined || spec['storageClassName'] === adopted.annotatedBefore);
  // The annotation preceded the member: it may go then, but not differ.
  const movesClass =
    gainsClass &&
    adopted.annotatedBefore !== undefined &&
    (adopted.annotated === undefined || adopted.annotated === adopted.annotatedBefore);
  const compared = comparable(claim, before, gainsClass);
  const [shown, shownBefore] = [
    printedSpec(compared),
    printedSpec({ ...before, ...(textAt(before, 'volumeName') === '' ? { volumeName: spec['volumeName'] } : {}) }),
  ];
  return [
    ...(movesClass || adopted.annotated === adopted.annotatedBefore
      ? []
      : [invalid(Path.of('metadata', 'annotations', classAnnotation), adopted.annotated ?? '', 'field is immutable')]),
    ...(JSON.stringify(shown) === JSON.stringify(shownBefore)
      ? []
      : [forbidden(specPath, `${immutable}\n${differenceOf(shownBefore, shown)}`)]),
    ...validateShrinking(claim, old),
    ...(textAt(spec, 'volumeMode') === textAt(before, 'volumeMode')
      ? []
      : [invalid(Path.of('volumeMode'), spec['volumeMode'] ?? null, 'field is immutable')]),
    ...validateAttributesClass(claim, old),
  ];
}

function comparable(claim: ApiObject, before: JsonObject, classAllowed: boolean): JsonObject {
  const spec = structuredClone(specOf(claim));
  if (classAllowed) spec['storageClassName'] = before['storageClassName'];
  if (textAt(claim, 'status', 'phase') !== 'Bound') return spec;
  const requests = requestsOf(spec);
  if (Object.keys(requests).length > 0) requests['storage'] = requestsOf(before)['storage'];
  if (spec['volumeAttributesClassName'] != null) spec['volumeAttributesClassName'] = before['volumeAttributesClassName'];
  return spec;
}

/** A failed expansion may be undone, but not below the current capacity. */
function validateShrinking(claim: ApiObject, old: ApiObject): FieldError[] {
  const size = requestsOf(specOf(claim))['storage'];
  if (compareAmounts(size, requestsOf(specOf(old))['storage']) >= 0) return [];
  const actual = objectAt(statusOf(old), 'capacity')?.['storage'];
  return compareAmounts(size, actual) > 0
    ? []
    : [forbidden(specPath.child('resources', 'requests', 'storage'), 'field can not be less than status.capacity')];
}

/** An applied class can be replaced, not removed. */
function validateAttributesClass(claim: ApiObject, old: ApiObject): FieldError[] {
  const name = specOf(claim)['volumeAttributesClassName'] ?? null;
  if (statusOf(old)['currentVolumeAttributesClassName'] == null || (name !== null && name !== '')) return [];
  // An existing empty name is accepted.
  if (name === (specOf(old)['volumeAttributesClassName'] ?? null)) return [];
  return [
    forbidden(
      specPath.child('volumeAttributesClassName'),
      `update to ${name === null ? 'nil' : 'empty string'} is forbidden when status.currentVolumeAttributesClassName is not nil`,
    ),
  ];
}

/** The specification in messages: the reference's structure and order. */
function printedSpec(spec: JsonObject): JsonObject {
  const resources = objectAt(spec, 'resources') ?? {};
  const reference = (member: string, namespaced: boolean): JsonObject | null => {
    const source = objectAt(spec, member);
    return source === null
      ? null
      : {
          APIGroup: source['apiGroup'] ?? null,
          Kind: source['kind'] ?? '',
          Name: source['name'] ?? '',
          ...(namespaced ? { Namespace: source['namespace'] ?? null } : {}),
        };
  };
  const modes = itemsOf(spec['accessModes']);
  return {
    AccessModes: modes.length === 0 ? null : [...modes],
    Selector: printedSelector(spec['selector']),
    Resources: { Limits: printedMap(resources['limits']), Requests: printedMap(resources['requests']) },
    VolumeName: spec['volumeName'] ?? '',
    StorageClassName: spec['storageClassName'] ?? null,
    VolumeMode: spec['volumeMode'] ?? null,
    DataSource: reference('dataSource', false),
    DataSourceRef: reference('dataSourceRef', true),
    VolumeAttributesClassName: spec['volumeAttributesClassName'] ?? null,
  };
}
