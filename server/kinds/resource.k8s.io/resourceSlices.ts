import type * as v1 from '../../../api/types/resource/v1.js';
import {
  all,
  at,
  changed,
  dnsSubdomain,
  driverName,
  fieldsAt,
  inOrder,
  invalid,
  itemsOf,
  members,
  missing,
  objectRules,
  optional,
  orEmpty,
  orZero,
  Path,
  sameValue,
  specOf,
  strictly,
  textAt,
  printedAs,
  type Draft,
  type FieldError,
  type Found,
  type Kind,
  type Writable,
} from '../language.js';
import { validateNodeSelector } from '../core/podSpec/validation/scheduling.js';
import { immutable } from '../immutable.js';
import { sliceConversion } from './conversion.js';
import { sliceGates } from './gated.js';
import { byName, set } from './lists.js';
import { poolName } from './names.js';
import { counters, deviceRules, isAdvanced, onlyTrue, placesIn } from './sliceDevices.js';

type Slice = Draft<v1.ResourceSlice>;
type Spec = Writable<v1.ResourceSliceSpec>;

const specPath = Path.of('spec');
const devicesMax = 128;
/** The limit of devices with taints, counters or attribute lists, which cost more to check. */
const advancedDevicesMax = 64;
const counterSetsMax = 8;
const places = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;
const onePlace = `exactly one of ${places.map((place) => `\`${place}\``).join(', ')} is required`;

const origin = objectRules<v1.ResourceSlice>({
  spec: members<v1.ResourceSliceSpec>({
    driver: orEmpty(driverName),
    pool: members<v1.ResourcePool>({
      name: orEmpty(poolName),
      resourceSliceCount: orZero((count, path) => (count <= 0 ? [invalid(path, count, 'must be greater than zero')] : [])),
      generation: orZero((number, path) => (number < 0 ? [invalid(path, number, 'must be greater than or equal to zero')] : [])),
    }),
  }),
});

/** The nodes of the devices: one, some, all, or separate ones per device. */
const place = all(
  members<v1.ResourceSliceSpec>({
    nodeName: optional(nodeName),
    // Selectors of several slices can be combined only if each has a single term.
    nodeSelector: optional(changed(validateNodeSelector, strictly), oneTerm),
    allNodes: optional(onlyTrue),
    perDeviceNodeSelection: optional(onlyTrue),
  }),
  oneOfPlaces,
  oneContent,
);

function nodeName(name: string, path: Path): FieldError[] {
  return name === '' ? [invalid(path, '', 'must be either unset or set to a non-empty string')] : dnsSubdomain(name, path);
}

function oneTerm({ nodeSelectorTerms }: NonNullable<Spec['nodeSelector']>, path: Path): FieldError[] {
  const text = 'must have exactly one node selector term';
  const shown = nodeSelectorTerms?.map((term) => printedAs('core.v1.NodeSelectorTerm', term));
  return shown?.length === 1 ? [] : [invalid(path.child('nodeSelectorTerms'), shown, text)];
}

function oneOfPlaces(spec: Spec, path: Path): FieldError[] {
  const set = placesIn(spec, places);
  if (set.length === 0) return [missing(path, onePlace)];
  return set.length > 1 ? [invalid(path, `{${set.join(', ')}}`, `${onePlace}, but multiple fields are set`)] : [];
}

function oneContent({ sharedCounters, devices }: Spec, path: Path): FieldError[] {
  const both = Array.isArray(sharedCounters) && Array.isArray(devices);
  return both ? [invalid(path, '', 'only one of `sharedCounters` or `devices` is allowed')] : [];
}

const sharedCounters = members<v1.ResourceSliceSpec>({
  sharedCounters: set(counterSetsMax, byName, members<v1.CounterSet>({ name: counters.name, counters: counters.values })),
});

function content(slice: Slice, old: Slice | null): Found {
  const spec = specOf(slice);
  const known = new Map(itemsOf(old?.spec?.devices).map((device) => [byName(device), device]));
  const most = itemsOf(spec.devices).some(isAdvanced) ? advancedDevicesMax : devicesMax;
  const devices = set(most, byName, deviceRules(known, spec.perDeviceNodeSelection === true));
  return all(place, members<v1.ResourceSliceSpec>({ devices }), sharedCounters)(spec, specPath, slice);
}

/** The time of a new taint is now by default. */
function setTaintTimes(slice: Slice, now: string): void {
  for (const { taints } of itemsOf(specOf(slice).devices)) for (const taint of itemsOf(taints)) taint.timeAdded ??= now;
}

const capitalWarnings = (driver: string): string[] =>
  driver === driver.toLowerCase()
    ? []
    : [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];

export const resourceSlices: Kind<Slice> = {
  name: 'resourceslices.resource.k8s.io',
  gated: sliceGates,
  versions: { 'resource.k8s.io/v1beta1': { conversion: sliceConversion } },
  metadata: { generationOf: ['spec'] },
  validate: (slice) => inOrder(origin(slice), content(slice, null)),
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
    review: ['objectMetaUpdate', origin, immutable('spec.pool.name'), immutable('spec.driver'), immutable('spec.nodeName'), content],
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
