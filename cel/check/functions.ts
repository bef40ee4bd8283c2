import { nullType, splitTypes, typeOf, type Type } from './types.js';

/** `target` is null unless the function is called on a value. */
export interface Overload {
  readonly target: Type | null;
  readonly args: readonly Type[];
  readonly result: Type;
  readonly parameters: readonly string[];
}

const times = { timestamp: 'google.protobuf.Timestamp', duration: 'google.protobuf.Duration' };
const { timestamp, duration } = times;
const each = (values: readonly string[], line: (value: string) => string): string[] => values.map(line);
/** Overloads in the order of cel-go's tables: for unknown types the first that fits counts. */
const ordered = [
  '(bool, bool)',
  ...['int', 'uint', 'double'].flatMap((one) => ['int', 'uint', 'double'].map((other) => `(${one}, ${other})`)),
  ...['string', 'bytes', timestamp, duration].map((type) => `(${type}, ${type})`),
];
const partsOfTime = [
  'getDate',
  'getDayOfMonth',
  'getDayOfWeek',
  'getDayOfYear',
  'getFullYear',
  'getHours',
  'getMilliseconds',
  'getMinutes',
  'getMonth',
  'getSeconds',
];
const ofBoth = (name: string, type: string): string => `${name}(${type}, ${type}): ${type}`;

const operators = [
  '_?_:_(bool, A, A): A',
  '!_(bool): bool',
  '-_(double): double',
  '-_(int): int',
  '_==_(A, A): bool',
  '_!=_(A, A): bool',
  ...['_<_', '_<=_', '_>_', '_>=_'].flatMap((sign) => each(ordered, (args) => `${sign}${args}: bool`)),
  ...['bytes', 'double', duration].map((type) => ofBoth('_+_', type)),
  `_+_(${duration}, ${timestamp}): ${timestamp}`,
  `_+_(${timestamp}, ${duration}): ${timestamp}`,
  ...['int', 'list<A>', 'string', 'uint'].map((type) => ofBoth('_+_', type)),
  ...['double', duration, 'int'].map((type) => ofBoth('_-_', type)),
  `_-_(${timestamp}, ${duration}): ${timestamp}`,
  `_-_(${timestamp}, ${timestamp}): ${duration}`,
  ofBoth('_-_', 'uint'),
  ...['_*_', '_/_'].flatMap((sign) => ['double', 'int', 'uint'].map((type) => ofBoth(sign, type))),
  ...['int', 'uint'].map((type) => ofBoth('_%_', type)),
  '@in(A, list<A>): bool',
  '@in(A, map<A, B>): bool',
  '_[_](list<A>, int): A',
  '_[_](map<A, B>, A): B',
  '_[_](optional_type<list<V>>, int): optional_type<V>',
  '_[_](optional_type<map<K, V>>, K): optional_type<V>',
  '_[?_](list<V>, int): optional_type<V>',
  '_[?_](optional_type<list<V>>, int): optional_type<V>',
  '_[?_](map<K, V>, K): optional_type<V>',
  '_[?_](optional_type<map<K, V>>, K): optional_type<V>',
  'cel.@mapInsert(map<K, V>, K, V): map<K, V>',
  'cel.@mapInsert(map<K, V>, map<K, V>): map<K, V>',
];

const conversions: Readonly<Record<string, readonly string[]>> = {
  bool: ['bool', 'string'],
  bytes: ['bytes', 'string'],
  double: ['double', 'int', 'string', 'uint'],
  duration: [duration, 'int', 'string'],
  int: ['int', 'double', duration, 'string', timestamp, 'uint'],
  string: ['string', 'bool', 'bytes', 'double', duration, 'int', timestamp, 'uint'],
  timestamp: [timestamp, 'int', 'string'],
  uint: ['uint', 'double', 'int', 'string'],
};

const language = [
  ...Object.entries(conversions).flatMap(([name, sources]) =>
    each(sources, (source) => `${name}(${source}): ${name in times ? times[name as keyof typeof times] : name}`),
  ),
  'dyn(A): dyn',
  'type(A): type<A>',
  ...['bytes', 'list<A>', 'map<A, B>', 'string'].flatMap((type) => [`size(${type}): int`, `${type}.size(): int`]),
  ...['contains', 'startsWith', 'endsWith', 'matches'].map((name) => `string.${name}(string): bool`),
  'matches(string, string): bool',
  ...partsOfTime.flatMap((name) => [`${times.timestamp}.${name}(): int`, `${times.timestamp}.${name}(string): int`]),
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'].map((name) => `${times.duration}.${name}(): int`),
];

const texts = [
  'string.charAt(int): string',
  'string.indexOf(string): int',
  'string.indexOf(string, int): int',
  'string.lastIndexOf(string): int',
  'string.lastIndexOf(string, int): int',
  'string.lowerAscii(): string',
  'string.upperAscii(): string',
  'string.trim(): string',
  'string.replace(string, string): string',
  'string.replace(string, string, int): string',
  'string.split(string): list<string>',
  'string.split(string, int): list<string>',
  'string.substring(int): string',
  'string.substring(int, int): string',
  'list<string>.join(): string',
  'list<string>.join(string): string',
  'string.format(list<dyn>): string',
  'strings.quote(string): string',
  'string.find(string): string',
  'string.findAll(string): list<string>',
  'string.findAll(string, int): list<string>',
];

const comparables = ['int', 'uint', 'double', 'bool', duration, timestamp, 'string', 'bytes'];

const lists = [
  ...each(comparables, (type) => `list<${type}>.isSorted(): bool`),
  ...each(['int', 'uint', 'double', duration], (type) => `list<${type}>.sum(): ${type}`),
  ...['min', 'max'].flatMap((name) => each(comparables, (type) => `list<${type}>.${name}(): ${type}`)),
  'list<A>.indexOf(A): int',
  'list<A>.lastIndexOf(A): int',
  'list<A>.slice(int, int): list<A>',
  'list<list<A>>.flatten(): list<A>',
  'list<dyn>.flatten(int): list<dyn>',
  'list<A>.distinct(): list<A>',
  'list<A>.reverse(): list<A>',
  ...each(comparables, (type) => `list<${type}>.sort(): list<${type}>`),
  ...each(comparables, (type) => `list<A>.@sortByAssociatedKeys(list<${type}>): list<A>`),
  'lists.range(int): list<int>',
  'list<A>.first(): optional_type<A>',
  'list<A>.last(): optional_type<A>',
  'sets.contains(list<A>, list<A>): bool',
  'sets.equivalent(list<A>, list<A>): bool',
  'sets.intersects(list<A>, list<A>): bool',
  'optional.of(A): optional_type<A>',
  'optional.ofNonZeroValue(A): optional_type<A>',
  'optional.none(): optional_type<A>',
  'optional.unwrap(list<optional_type<A>>): list<A>',
  'list<optional_type<A>>.unwrapOpt(): list<A>',
  'optional_type<A>.hasValue(): bool',
  'optional_type<A>.value(): A',
  'optional_type<A>.or(optional_type<A>): optional_type<A>',
  'optional_type<A>.orValue(A): A',
];

const url = 'kubernetes.URL';
const quantity = 'kubernetes.Quantity';
const semver = 'kubernetes.Semver';
const comparable = (type: string): string[] => [
  ...['isGreaterThan', 'isLessThan'].map((name) => `${type}.${name}(${type}): bool`),
  `${type}.compareTo(${type}): int`,
];

const kubernetes = [
  `url(string): ${url}`,
  'isURL(string): bool',
  ...['getScheme', 'getHost', 'getHostname', 'getPort', 'getEscapedPath'].map((name) => `${url}.${name}(): string`),
  `${url}.getQuery(): map<string, list<string>>`,
  `quantity(string): ${quantity}`,
  'isQuantity(string): bool',
  ...comparable(quantity),
  `${quantity}.isInteger(): bool`,
  `${quantity}.asInteger(): int`,
  `${quantity}.asApproximateFloat(): double`,
  `sign(${quantity}): int`,
  ...['add', 'sub'].flatMap((name) => each([quantity, 'int'], (type) => `${quantity}.${name}(${type}): ${quantity}`)),
  ...['', ', bool'].flatMap((more) => [`semver(string${more}): ${semver}`, `isSemver(string${more}): bool`]),
  ...comparable(semver),
  ...['major', 'minor', 'patch'].map((name) => `${semver}.${name}(): int`),
  'ip(string): net.IP',
  'isIP(string): bool',
  'ip.isCanonical(string): bool',
  'string(net.IP): string',
  'net.IP.family(): int',
  ...['isUnspecified', 'isLoopback', 'isLinkLocalMulticast', 'isLinkLocalUnicast', 'isGlobalUnicast'].map(
    (name) => `net.IP.${name}(): bool`,
  ),
  'cidr(string): net.CIDR',
  'isCIDR(string): bool',
  'string(net.CIDR): string',
  ...['string', 'net.IP'].map((type) => `net.CIDR.containsIP(${type}): bool`),
  ...['string', 'net.CIDR'].map((type) => `net.CIDR.containsCIDR(${type}): bool`),
  'net.CIDR.ip(): net.IP',
  'net.CIDR.masked(): net.CIDR',
  'net.CIDR.prefixLength(): int',
  'format.named(string): optional_type<kubernetes.NamedFormat>',
  'kubernetes.NamedFormat.validate(string): optional_type<list<string>>',
  ...[
    'dns1123Label',
    'dns1123Subdomain',
    'dns1035Label',
    'qualifiedName',
    'dns1123LabelPrefix',
    'dns1123SubdomainPrefix',
    'dns1035LabelPrefix',
    'labelValue',
    'uri',
    'uuid',
    'byte',
    'date',
    'datetime',
  ].map((name) => `format.${name}(): kubernetes.NamedFormat`),
  'jsonpatch.escapeKey(string): string',
];

const authz = 'kubernetes.authorization';
const authorizer = [
  `${authz}.Authorizer.path(string): ${authz}.PathCheck`,
  `${authz}.PathCheck.check(string): ${authz}.Decision`,
  `${authz}.Authorizer.serviceAccount(string, string): ${authz}.Authorizer`,
  `${authz}.Authorizer.group(string): ${authz}.GroupCheck`,
  `${authz}.GroupCheck.resource(string): ${authz}.ResourceCheck`,
  `${authz}.ResourceCheck.check(string): ${authz}.Decision`,
  ...['subresource', 'namespace', 'name', 'fieldSelector', 'labelSelector'].map(
    (name) => `${authz}.ResourceCheck.${name}(string): ${authz}.ResourceCheck`,
  ),
  ...['errored', 'allowed'].map((name) => `${authz}.Decision.${name}(): bool`),
  ...['error', 'reason'].map((name) => `${authz}.Decision.${name}(): string`),
];

/** These prefixes belong to function names and are not values. */
const namespaces = /^(strings|sets|optional|format|ip|jsonpatch|lists|cel)\.@?\w+\(/;

export const functions: ReadonlyMap<string, readonly Overload[]> = collect([
  ...operators,
  ...language,
  ...texts,
  ...lists,
  ...kubernetes,
  ...authorizer,
]);

function collect(lines: readonly string[]): ReadonlyMap<string, readonly Overload[]> {
  const found = new Map<string, Overload[]>();
  for (const line of lines) {
    const { name, overload } = overloadOf(line);
    found.set(name, [...(found.get(name) ?? []), overload]);
  }
  return found;
}

function overloadOf(line: string): { name: string; overload: Overload } {
  const open = line.indexOf('(');
  const close = line.lastIndexOf('):');
  const head = line.slice(0, open);
  const dot = namespaces.test(line) ? -1 : head.lastIndexOf('.');
  return {
    name: head.slice(dot + 1),
    overload: {
      target: dot < 0 ? null : typeOf(head.slice(0, dot)),
      args: splitTypes(line.slice(open + 1, close)).map(typeOf),
      result: typeOf(line.slice(close + 2)),
      parameters: [...new Set(line.match(/\b[A-Z]\b/g) ?? [])],
    },
  };
}

/** Libraries of some environments only: `cel.bind` for device selectors, `jsonpatch` for policies' patches. */
export type ExtraLibrary = 'bindings' | 'jsonpatch';

/** Their functions and macros, by the text before the parenthesis. Others are everywhere. */
const extras: ReadonlyMap<string, ExtraLibrary> = new Map([
  ['cel.bind', 'bindings'],
  ['jsonpatch.escapeKey', 'jsonpatch'],
]);

/** Returns whether an environment with these libraries has the function or macro. */
export const isOffered = (name: string, libraries: readonly ExtraLibrary[]): boolean => {
  const library = extras.get(name);
  return library === undefined || libraries.includes(library);
};

/** Library types that the reference declares as objects without fields. */
export const opaqueObjects: ReadonlySet<string> = new Set([
  url,
  quantity,
  semver,
  'kubernetes.NamedFormat',
  ...['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map((name) => `${authz}.${name}`),
]);

/** Types without a program, although expressions with them are checked (`findScalar` of k8s.io/apiserver/pkg/cel). */
export const unregisteredTypes: ReadonlySet<string> = new Set(Object.keys(times));

/** Functions whose second operand is a pattern. */
export const patternNames: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);

/** Types are values too: `type(x) == string`. */
export const typeNames: ReadonlyMap<string, Type> = new Map([
  ...['bool', 'bytes', 'double', 'int', 'string', 'uint', 'net.IP', 'net.CIDR', 'type', 'optional_type', timestamp, duration].map(
    (name) => [name, typeOf(name)] as const,
  ),
  ...Object.entries(times).map(([name, type]) => [name, typeOf(type)] as const),
  ['list', typeOf('list<A>')],
  ['map', typeOf('map<A, B>')],
  ['null_type', nullType],
]);
