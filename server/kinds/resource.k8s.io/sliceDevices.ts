import type * as v1 from '../../../api/types/resource/v1.js';
import {
  all,
  changed,
  dnsLabel,
  dnsSubdomain,
  each,
  forbidden,
  invalid,
  isSet,
  itemsOf,
  maxBytes,
  members,
  missing,
  optional,
  orEmpty,
  printedAs,
  required,
  sameValue,
  strictly,
  tooMany,
  type FieldError,
  type Found,
  type Path,
  type Rule,
  type Writable,
} from '../language.js';
import { validateNodeSelector } from '../core/podSpec/validation/scheduling.js';
import { requestPolicy } from './capacity.js';
import { bindingConditions, taint } from './devices.js';
import { list, map, set } from './lists.js';
import { qualifiedName, qualifiedNameMax } from './names.js';

type Device = Writable<v1.Device>;
type Attribute = Writable<v1.DeviceAttribute>;

const descriptionsMax = 32;
const valuesMax = 48;
const taintsMax = 16;
const consumptionsMax = 2;
const countersMax = 32;
const counterNameMax = 63;
const valueMax = 64;
const places = ['nodeName', 'nodeSelector', 'allNodes'] as const;
const onePlace =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const noPlace =
  '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const lists = ['bools', 'ints', 'strings', 'versions'] as const;
const kinds = ['bool', 'int', 'string', 'version', ...lists] as const;
const semanticVersion =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

const names = { keyMax: qualifiedNameMax, key: qualifiedName };

export const counters = { name: required(dnsLabel), values: someCounters };
const counterMap = map({ keyMax: counterNameMax, key: dnsLabel });

function someCounters(values: Writable<v1.CounterSet['counters']>, path: Path): Found {
  const count = Object.keys(values ?? {}).length;
  if (count === 0) return [missing(path, '')];
  return count > countersMax ? [tooMany(path, count, countersMax)] : counterMap(values, path, null);
}

const text = maxBytes(valueMax);
const version = all<string>(
  (value, path) => (semanticVersion.test(value) ? [] : [invalid(path, value, 'must be a string compatible with semver.org spec 2.0.0')]),
  text,
);

const attribute = all(
  members<v1.DeviceAttribute>({ string: optional(text), version: optional(version), strings: each(text), versions: each(version) }),
  oneValue,
);

function oneValue(attribute: Attribute | null | undefined, path: Path): FieldError[] {
  const count = kinds.filter((kind) => isSet(attribute?.[kind])).length;
  const shown = count === 0 ? '' : printedAs('resource.v1.DeviceAttribute', attribute);
  return count === 1 ? [] : [invalid(path, shown, 'exactly one value must be specified')];
}

const capacity = (shared: boolean): Rule<Writable<v1.DeviceCapacity> | undefined> =>
  members<v1.DeviceCapacity>({
    requestPolicy: optional(shared ? requestPolicy : (_, path) => [forbidden(path, 'allowMultipleAllocations must be true')]),
  });
const capacities = { shared: map(names, capacity(true)), own: map(names, capacity(false)) };

const consumption = members<v1.DeviceCounterConsumption>({ counterSet: counters.name, counters: counters.values });

/** Unchanged capacities and taints of `known` devices are not checked again. */
export function deviceRules(known: ReadonlyMap<string, Device>, placedByItself: boolean): Rule<Device> {
  const unlessKnown =
    <V>(member: keyof Device, rule: Rule<V, Device>): Rule<V, Device> =>
    (value, path, device) => {
      const old = known.get(device.name ?? '');
      return old !== undefined && sameValue(old[member], value) ? [] : rule(value, path, device);
    };
  return all<Device>(
    members<v1.Device>({ name: orEmpty(dnsLabel) }),
    describedBriefly,
    members<v1.Device>({
      attributes: map(names, attribute),
      capacity: unlessKnown('capacity', (value, path, device) =>
        (device.allowMultipleAllocations === true ? capacities.shared : capacities.own)(value, path, device),
      ),
      taints: unlessKnown('taints', list(taintsMax, taint)),
      consumesCounters: set(consumptionsMax, ({ counterSet = '' }) => counterSet, consumption),
    }),
    placedByItself ? place : unplaced,
    bindingConditions,
  );
}

const valuesIn = (attribute: Attribute | undefined): number =>
  lists.reduce((count, member) => count + itemsOf(attribute?.[member]).length, 0);

function describedBriefly(device: Device, path: Path): FieldError[] {
  const attributes = Object.values(device.attributes ?? {});
  const descriptions = attributes.length + Object.keys(device.capacity ?? {}).length;
  const values = attributes.reduce((sum, attribute) => sum + Math.max(1, valuesIn(attribute)), 0);
  const limit = (count: number, most: number, of: string): FieldError[] =>
    count > most ? [invalid(path, count, `the total number of ${of} must not exceed ${most}`)] : [];
  return [...limit(descriptions, descriptionsMax, 'attributes and capacities'), ...limit(values, valuesMax, 'attribute values')];
}

export const isAdvanced = ({ taints, consumesCounters, attributes }: Device): boolean =>
  itemsOf(taints).length > 0 ||
  itemsOf(consumesCounters).length > 0 ||
  Object.values(attributes ?? {}).some((attribute) => valuesIn(attribute) > 0);

export const onlyTrue = (flag: boolean, path: Path): FieldError[] =>
  flag ? [] : [invalid(path, false, 'must be either unset or set to true')];

/** Stated places, as messages quote them. */
export const placesIn = <M extends string>(holder: { readonly [name in M]?: unknown }, members: readonly M[]): string[] =>
  members.filter((name) => isSet(holder[name]) && holder[name] !== '' && holder[name] !== false).map((name) => `\`${name}\``);

const unplaced = (device: Device, path: Path): FieldError[] =>
  places.some((member) => isSet(device[member])) ? [invalid(path, null, noPlace)] : [];

const place = all<Device>(
  members<v1.Device>({
    nodeName: optional((name, path) => (name === '' ? [invalid(path, '', 'must not be empty')] : dnsSubdomain(name, path))),
    nodeSelector: optional(changed(validateNodeSelector, strictly)),
    allNodes: optional(onlyTrue),
  }),
  (device, path) => {
    const set = placesIn(device, places);
    if (set.length === 0) return [missing(path, onePlace)];
    return set.length > 1 ? [invalid(path, `{${set.join(', ')}}`, onePlace)] : [];
  },
);
