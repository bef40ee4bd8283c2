import type { ResourceSlice, ResourceSliceSpec } from '../../../api/types/resource/v1.js';
import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import { driverName } from '../../registry/validation/drivernames.js';
import { invalid, Path, required, strictly, type FieldError } from '../../registry/validation/field.js';
import { unchanged } from '../../registry/validation/immutable.js';
import { dnsSubdomain } from '../../registry/validation/values.js';
import { at } from '../cells.js';
import { validateNodeSelector } from '../core/podSpec/validation/scheduling.js';
import { fieldsAt } from '../fields.js';
import type { Draft, Kind, Writable } from '../kind.js';
import { specOf } from '../parts.js';
import { sliceGates } from './gated.js';
import { sliceConversion } from './conversion.js';
import { validateSet } from './lists.js';
import { poolName } from './names.js';
import { lists, validateCounters, validateDevice } from './sliceDevices.js';
import { atOnce } from '../../registry/validation/ofEach.js';

const specPath = Path.of('spec');
const devicesMax = 128;
/** The limit of devices with taints, counters or attribute lists, which cost more to check. */
const advancedDevicesMax = 64;
const counterSetsMax = 8;
const places = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;
const onePlace = `exactly one of ${places.map((place) => `\`${place}\``).join(', ')} is required`;

const devicesOf = (spec: Writable<ResourceSliceSpec>): JsonObject[] => objectsIn(spec, 'devices');

function validate(slice: Draft<ResourceSlice>, old: Draft<ResourceSlice> | null): FieldError[] {
  const spec = specOf(slice);
  const before = old === null ? null : specOf(old);
  const known = new Map((before === null ? [] : devicesOf(before)).map((device) => [textAt(device, 'name'), device]));
  return [
    ...driverName(textAt(spec, 'driver'), specPath.child('driver')),
    ...validatePool(objectAt(spec, 'pool') ?? {}, specPath.child('pool')),
    ...(before === null ? [] : validateOrigin(spec, before)),
    ...validatePlace(spec),
    ...(itemsOf(spec.sharedCounters).length > 0 && itemsOf(spec.devices).length > 0
      ? [invalid(specPath, '', 'only one of `sharedCounters` or `devices` is allowed')]
      : []),
    ...validateSet(devicesOf(spec), devicesOf(spec).some(isAdvanced) ? advancedDevicesMax : devicesMax, specPath.child('devices'), {
      key: (device) => textAt(device, 'name'),
      check: (device, path) =>
        validateDevice(device, known.get(textAt(device, 'name')) ?? null, spec.perDeviceNodeSelection === true, path),
    }),
    ...validateSet(objectsIn(spec, 'sharedCounters'), counterSetsMax, specPath.child('sharedCounters'), {
      key: (set) => textAt(set, 'name'),
      check: (set, at) => validateCounters(set, 'name', at),
    }),
  ];
}

const isAdvanced = (device: JsonObject): boolean =>
  itemsOf(device.taints).length > 0 ||
  itemsOf(device.consumesCounters).length > 0 ||
  Object.values(objectAt(device, 'attributes') ?? {}).some((attribute) =>
    lists.some((member) => itemsOf(memberAt(attribute, member)).length > 0),
  );

function validatePool(pool: JsonObject, path: Path): FieldError[] {
  const [count, generation] = [Number(pool.resourceSliceCount ?? 0), Number(pool.generation ?? 0)];
  return [
    ...poolName(textAt(pool, 'name'), path.child('name')),
    ...(count <= 0 ? [invalid(path.child('resourceSliceCount'), count, 'must be greater than zero')] : []),
    ...(generation < 0 ? [invalid(path.child('generation'), generation, 'must be greater than or equal to zero')] : []),
  ];
}

const validateOrigin = (spec: Writable<ResourceSliceSpec>, before: Writable<ResourceSliceSpec>): FieldError[] => [
  ...unchanged(spec.pool?.name, before.pool?.name, specPath.child('pool', 'name')),
  ...unchanged(spec.driver, before.driver, specPath.child('driver')),
  ...unchanged(spec.nodeName, before.nodeName, specPath.child('nodeName')),
];

/** The nodes of the devices: one, some, all, or separate ones per device. */
function validatePlace(spec: Writable<ResourceSliceSpec>): FieldError[] {
  const { nodeName } = spec;
  const selector = objectAt(spec, 'nodeSelector');
  const findings =
    nodeName === undefined
      ? []
      : nodeName === ''
        ? [invalid(specPath.child('nodeName'), '', 'must be either unset or set to a non-empty string')]
        : dnsSubdomain(String(nodeName), specPath.child('nodeName'));
  if (selector !== null) findings.push(...validateSliceSelector(selector, specPath.child('nodeSelector')));
  for (const flag of ['allNodes', 'perDeviceNodeSelection'] as const)
    if (spec[flag] === false) findings.push(invalid(specPath.child(flag), false, 'must be either unset or set to true'));
  const set = places.filter((place) => spec[place] !== undefined && spec[place] !== null && spec[place] !== '' && spec[place] !== false);
  if (set.length === 0) findings.push(required(specPath, onePlace));
  if (set.length > 1)
    findings.push(invalid(specPath, `{${set.map((place) => `\`${place}\``).join(', ')}}`, `${onePlace}, but multiple fields are set`));
  return findings;
}

/** Selectors of several slices can be combined only if each has a single term. */
const validateSliceSelector = (selector: JsonObject, path: Path): FieldError[] => [
  ...strictly(atOnce(validateNodeSelector(selector, path))),
  ...(objectsIn(selector, 'nodeSelectorTerms').length === 1
    ? []
    : [invalid(path.child('nodeSelectorTerms'), selector.nodeSelectorTerms ?? null, 'must have exactly one node selector term')]),
];

/** The time of a new taint is now by default. */
function setTaintTimes(slice: Draft<ResourceSlice>, now: string): void {
  for (const device of devicesOf(specOf(slice))) for (const taint of objectsIn(device, 'taints')) taint.timeAdded ??= now;
}

const capitalWarnings = (driver: string): string[] =>
  driver === driver.toLowerCase()
    ? []
    : [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];

export const resourceSlices: Kind<Draft<ResourceSlice>> = {
  name: 'resourceslices.resource.k8s.io',
  gated: sliceGates,
  versions: { 'resource.k8s.io/v1beta1': { conversion: sliceConversion } },
  metadata: { generationOf: ['spec'] },
  validate: (slice) => validate(slice, null),
  warnings: (slice) => capitalWarnings(textAt(slice, 'spec', 'driver')),
  create: {
    prepare(slice, { now }) {
      setTaintTimes(slice, now);
    },
  },
  update: {
    prepare(slice, old, { now }) {
      // This counts as a change even when nothing of it is stored.
      if (!sameValue(slice.spec, old.spec)) slice.metadata.generation = (old.metadata.generation ?? 0) + 1;
      setTaintTimes(slice, now);
    },
    review: ['objectMetaUpdate', validate],
  },
  delete: { answers: 'object' },
  fields: {
    values: fieldsAt('spec.driver', 'spec.nodeName'),
    unsupported: (field, apiVersion) => `field label not supported for ${apiVersion}, Kind=ResourceSlice: ${field}`,
  },
  cells: {
    Node: at('spec.nodeName', ''),
    Driver: at('spec.driver'),
    Pool: at('spec.pool.name'),
  },
};
