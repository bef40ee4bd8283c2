import { goMembers, type GoType } from '../../api/catalogue/goStructures.js';

/**
 * Pod templates in the print form of Go's spew (`%#v`, with types), which the reference hashes (`pkg/util/hash`, `DeepHashObject`). Pure. Empty lists, maps
 * and pointers are `<nil>`, as after Protobuf.
 */
export const dumpTemplate = (template: unknown): string => typed('(v1.PodTemplateSpec)', structure('core.v1.PodTemplateSpec', template));

type Members = Readonly<Record<string, unknown>>;

const nothing = '<nil>';
const typed = (type: string, text: string): string => `${type}${text}`;
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});

function structure(name: string, value: unknown): string {
  const given = membersOf(value);
  const members = goMembers(name) ?? [];
  return `{${members.map(({ name: word, member, type }) => `${word}:${dump(type, member === null ? given : given[member])}`).join(' ')}}`;
}

function dump(type: GoType, value: unknown): string {
  const spelled = spelledType(type);
  const isAbsent = value === undefined || value === null;
  if (type.isPointer) return typed(`(*${spelled})`, isAbsent ? nothing : plain(type, value));
  if (type.isList) {
    const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
    return typed(`([]${spelled})`, items.length === 0 ? nothing : `[${items.map((item) => plain(type, item)).join(' ')}]`);
  }
  return typed(`(${spelled})`, plain(type, value));
}

const packages: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  map: 'map[string]string',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
};
const spelledType = ({ name }: GoType): string => packages[name] ?? (name.includes('.') ? name : `v1.${name}`);

function plain({ name, isNamed, structure: message }: GoType, value: unknown): string {
  if (isNamed) return text(value);
  switch (name) {
    case 'string':
      return text(value);
    case 'bool':
      return String(value === true);
    case 'int32':
    case 'int64':
      return String(value ?? 0);
    case 'map':
      return map(value, text);
    case 'ResourceList':
      return map(value, quantity);
    case 'Quantity':
      return quantity(value);
    case 'IntOrString':
      return typeof value === 'string'
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${String(value ?? 0)} StrVal:(string)}`;
    // Templates lack the only times, those of an object's metadata.
    case 'Time':
      return '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';
    default:
      return structure(message ?? name, value);
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function map(value: unknown, print: (value: unknown) => string): string {
  const entries = Object.entries(membersOf(value)).sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return entries.length === 0 ? nothing : `map[${entries.map(([key, each]) => `${key}:${print(each)}`).join(' ')}]`;
}

const decimalSuffixes: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binarySuffixes: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const amount = /^(-?)(\d*)(?:\.(\d*))?(?:([eE])([-+]?\d+)|([A-Za-z]*))$/;

/**
 * A parsed amount (`resource.ParseQuantity`): an integer and a power of ten, and the text where it is canonical. The reference stores longer numbers
 * differently, so their hashes differ from it.
 */
function quantity(value: unknown): string {
  const written = typeof value === 'number' ? String(value) : text(value);
  const [, sign = '', whole = '', fraction = '', exponential = '', power = '', suffix = ''] = amount.exec(written) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+(?=\d)/, '') || '0';
  const binary = binarySuffixes[suffix];
  const scale = binary !== undefined ? 0 : (exponential === '' ? (decimalSuffixes[suffix] ?? 0) : Number(power)) - fraction.length;
  const number = BigInt(digits) * (binary === undefined ? 1n : 1n << BigInt(binary)) * (sign === '-' ? -1n : 1n);
  const isKept =
    binary === undefined
      ? scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
      : binary % 10 === 0 && (BigInt(digits) & 7n) !== 0n;
  const format = binary !== undefined ? 'BinarySI' : exponential === '' ? 'DecimalSI' : 'DecimalExponent';
  return `{i:(resource.int64Amount){value:(int64)${number} scale:(resource.Scale)${scale}} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${isKept ? written : ''} Format:(resource.Format)${format}}`;
}
