import type { JsonObject, JsonValue } from '../../../api/object.js';
import { validateNodeSelector } from '../core/podSpec/validation/scheduling.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { sameValue } from '../../../api/json/equality.js';
import { itemsOf, membersOf, textAt } from '../../../api/json/members.js';
import { forbidden, invalid, required, strictly, tooLong, type FieldError, type Path } from '../../registry/validation/field.js';
import { optionals, printedStructure } from '../../registry/validation/internalform.js';
import { dnsLabel, dnsSubdomain } from '../../registry/validation/values.js';
import { validateRequestPolicy } from './capacity.js';
import { validateBindingConditions, validateTaint } from './devices.js';
import { validateList, validateMap, validateSet } from './lists.js';
import { qualifiedNameMax, qualifiedName } from './names.js';
import { atOnce } from '../../registry/validation/ofEach.js';

/** A device as its driver describes it: attributes, capacities, taints, counters, and nodes. */

const descriptionsMax = 32;
const valuesMax = 48;
const taintsMax = 16;
const consumptionsMax = 2;
const countersMax = 32;
const counterNameMax = 63;
const valueMax = 64;
const places = ['nodeName', 'nodeSelector', 'allNodes'];
const onePlace =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
const noPlace =
  '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
export const lists = ['bools', 'ints', 'strings', 'versions'];
const semanticVersion =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

/** An unchanged device is not checked again. */
export function validateDevice(device: JsonObject, old: JsonObject | null, placedByItself: boolean, path: Path): FieldError[] {
  const isNew = (member: string): boolean => old === null || !sameValue(old[member], device[member]);
  const shared = device['allowMultipleAllocations'] === true;
  return [
    ...dnsLabel(textAt(device, 'name'), path.child('name')),
    ...validateAmount(device, path),
    ...validateMap(device['attributes'], path.child('attributes'), {
      keyMax: qualifiedNameMax,
      key: qualifiedName,
      check: validateAttribute,
    }),
    ...(isNew('capacity')
      ? validateMap(device['capacity'], path.child('capacity'), {
          keyMax: qualifiedNameMax,
          key: qualifiedName,
          check: (capacity, at) => validateCapacity(capacity, shared, at),
        })
      : []),
    ...(isNew('taints') ? validateList(objectsIn(device, 'taints'), taintsMax, path.child('taints'), validateTaint) : []),
    ...validateSet(objectsIn(device, 'consumesCounters'), consumptionsMax, path.child('consumesCounters'), {
      key: (each) => textAt(each, 'counterSet'),
      check: (consumption, at) => validateCounters(consumption, 'counterSet', at),
    }),
    ...(placedByItself
      ? validatePlace(device, path)
      : places.some((place) => device[place] !== undefined && device[place] !== null)
        ? [invalid(path, null, noPlace)]
        : []),
    ...validateBindingConditions(device, path),
  ];
}

function validateAmount(device: JsonObject, path: Path): FieldError[] {
  const attributes = Object.values(objectAt(device, 'attributes') ?? {});
  const descriptions = attributes.length + Object.keys(objectAt(device, 'capacity') ?? {}).length;
  const values = attributes.reduce<number>(
    (sum, attribute) =>
      sum +
      Math.max(
        1,
        lists.reduce((count, list) => count + itemsOf(membersOf(attribute)[list]).length, 0),
      ),
    0,
  );
  return [
    ...(descriptions > descriptionsMax
      ? [invalid(path, descriptions, `the total number of attributes and capacities must not exceed ${descriptionsMax}`)]
      : []),
    ...(values > valuesMax ? [invalid(path, values, `the total number of attribute values must not exceed ${valuesMax}`)] : []),
  ];
}

const text = (value: JsonValue | undefined, path: Path): FieldError[] =>
  Buffer.byteLength(String(value)) > valueMax ? [tooLong(path, valueMax)] : [];
const version = (value: JsonValue | undefined, path: Path): FieldError[] => [
  ...(semanticVersion.test(String(value)) ? [] : [invalid(path, value, 'must be a string compatible with semver.org spec 2.0.0')]),
  ...text(value, path),
];

const attributeForm = optionals(
  'int=IntValue',
  'bool=BoolValue',
  'string=StringValue',
  'version=VersionValue',
  'ints=IntValues',
  'bools=BoolValues',
  'strings=StringValues',
  'versions=VersionValues',
);

/** An attribute has one value of one type, or a list. */
function validateAttribute(attribute: JsonObject, path: Path): FieldError[] {
  const set = ['bool', 'int', 'string', 'version', ...lists].filter(
    (member) => attribute[member] !== undefined && attribute[member] !== null,
  );
  return [
    ...(set.includes('string') ? text(attribute['string'], path.child('string')) : []),
    ...(set.includes('version') ? version(attribute['version'], path.child('version')) : []),
    ...itemsOf(attribute['strings']).flatMap((value, position) => text(value, path.child('strings').index(position))),
    ...itemsOf(attribute['versions']).flatMap((value, position) => version(value, path.child('versions').index(position))),
    ...(set.length === 1
      ? []
      : [invalid(path, set.length === 0 ? '' : printedStructure(attribute, attributeForm), 'exactly one value must be specified')]),
  ];
}

function validateCapacity(capacity: JsonObject, shared: boolean, path: Path): FieldError[] {
  const policy = objectAt(capacity, 'requestPolicy');
  if (policy === null) return [];
  return shared
    ? validateRequestPolicy(capacity['value'], policy, path.child('requestPolicy'))
    : [forbidden(path.child('requestPolicy'), 'allowMultipleAllocations must be true')];
}

/** A set of counters, whose name is in `nameMember`. */
export function validateCounters(set: JsonObject, nameMember: 'name' | 'counterSet', path: Path): FieldError[] {
  const name = textAt(set, nameMember);
  const counters = objectAt(set, 'counters') ?? {};
  return [
    ...(name === '' ? [required(path.child(nameMember), '')] : dnsLabel(name, path.child(nameMember))),
    ...(Object.keys(counters).length === 0
      ? [required(path.child('counters'), '')]
      : validateMap(counters, path.child('counters'), { max: countersMax, keyMax: counterNameMax, key: dnsLabel, check: () => [] })),
  ];
}

function validatePlace(device: JsonObject, path: Path): FieldError[] {
  const { nodeName, allNodes } = device;
  const selector = objectAt(device, 'nodeSelector');
  const set = places.filter(
    (place) => device[place] !== undefined && device[place] !== null && device[place] !== '' && device[place] !== false,
  );
  return [
    ...(nodeName === undefined || nodeName === null
      ? []
      : nodeName === ''
        ? [invalid(path.child('nodeName'), '', 'must not be empty')]
        : dnsSubdomain(String(nodeName), path.child('nodeName'))),
    ...(selector === null ? [] : strictly(atOnce(validateNodeSelector(selector, path.child('nodeSelector'))))),
    ...(allNodes === false ? [invalid(path.child('allNodes'), false, 'must be either unset or set to true')] : []),
    ...(set.length === 0
      ? [required(path, onePlace)]
      : set.length > 1
        ? [invalid(path, `{${set.map((place) => `\`${place}\``).join(', ')}}`, onePlace)]
        : []),
  ];
}
