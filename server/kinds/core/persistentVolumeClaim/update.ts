import type * as v1 from '../../../../api/types/core/v1.js';
import {
  compareAmounts,
  forbidden,
  invalid,
  isSet,
  itemsOf,
  Path,
  printedAs,
  printedEntries,
  specOf,
  unchanged,
  type Draft,
  type FieldError,
  type JsonObject,
  type Writable,
} from '../../language.js';
import { differenceOf } from '../../../registry/validation/difference.js';
import { classAnnotation } from '../persistentVolumes.js';
import { copySource } from './sources.js';

type Claim = Draft<v1.PersistentVolumeClaim>;
type Spec = Writable<v1.PersistentVolumeClaimSpec>;
type Requests = NonNullable<Spec['resources']>['requests'];

const specPath = Path.of('spec');
const immutable = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

const requestsOf = ({ resources }: Spec): NonNullable<Requests> => resources?.requests ?? {};

/** Quotas and volumes depend on claims. */
export function validateClaimChange(claim: Claim, old: Claim): FieldError[] {
  const [spec, before] = [specOf(claim), { ...specOf(old) }];
  copySource(before);
  const [annotated, annotatedBefore] = [claim, old].map(({ metadata }) => metadata.annotations?.[classAnnotation]);
  const gainsClass =
    !isSet(before.storageClassName) &&
    isSet(spec.storageClassName) &&
    (annotatedBefore === undefined || spec.storageClassName === annotatedBefore);
  // The annotation preceded the member: it may go then, but not differ.
  const movesClass = gainsClass && annotatedBefore !== undefined && (annotated === undefined || annotated === annotatedBefore);
  const changed = comparable(claim, before, gainsClass);
  const kept = { ...before, volumeName: before.volumeName || spec.volumeName };
  return [
    ...(movesClass || annotated === annotatedBefore
      ? []
      : [invalid(Path.of('metadata', 'annotations', classAnnotation), annotated ?? '', 'field is immutable')]),
    ...(JSON.stringify(comparableForm(changed)) === JSON.stringify(comparableForm(kept))
      ? []
      : [forbidden(specPath, `${immutable}\n${differenceOf(printedClaim(kept), printedClaim(changed))}`)]),
    ...validateShrinking(claim, old),
    ...unchanged(spec.volumeMode, before.volumeMode, Path.of('volumeMode')),
    ...validateAttributesClass(claim, old),
  ];
}

function comparable(claim: Claim, before: Spec, classAllowed: boolean): Spec {
  const spec = structuredClone(specOf(claim));
  if (classAllowed) spec.storageClassName = before.storageClassName;
  if (claim.status?.phase !== 'Bound') return spec;
  const requests = requestsOf(spec);
  if (Object.keys(requests).length > 0) Object.assign(requests, { storage: requestsOf(before)['storage'] });
  if (isSet(spec.volumeAttributesClassName)) spec.volumeAttributesClassName = before.volumeAttributesClassName;
  return spec;
}

/** A failed expansion may be undone, but not below the current capacity. */
function validateShrinking(claim: Claim, old: Claim): FieldError[] {
  const size = requestsOf(specOf(claim))['storage'];
  if (compareAmounts(size, requestsOf(specOf(old))['storage']) >= 0 || compareAmounts(size, old.status?.capacity?.['storage']) > 0)
    return [];
  return [forbidden(specPath.child('resources', 'requests', 'storage'), 'field can not be less than status.capacity')];
}

/** An applied class can be replaced, not removed. */
function validateAttributesClass(claim: Claim, old: Claim): FieldError[] {
  const name = specOf(claim).volumeAttributesClassName;
  // An existing empty name is accepted.
  if (!isSet(old.status?.currentVolumeAttributesClassName) || name || name === specOf(old).volumeAttributesClassName) return [];
  return [
    forbidden(
      specPath.child('volumeAttributesClassName'),
      `update to ${name === '' ? 'empty string' : 'nil'} is forbidden when status.currentVolumeAttributesClassName is not nil`,
    ),
  ];
}

const printedClaim = (spec: Spec): JsonObject => printedAs('core.v1.PersistentVolumeClaimSpec', spec);

const comparableForm = ({ accessModes, resources, ...spec }: Spec): JsonObject =>
  printedAs('core.v1.PersistentVolumeClaimSpec', {
    ...spec,
    accessModes: itemsOf(accessModes).length === 0 ? null : accessModes,
    resources: { limits: printedEntries(resources?.limits), requests: printedEntries(resources?.requests) },
  });
