import { formatTime, isCanonicalTime, parseTime } from '../../api/time.js';
import { isMembers, NumberLiteral, type Json } from '../codecs/value.js';
import { countMembers } from '../codecs/json.js';
import type { Steps } from '../../api/steps.js';
import { StructureError, type CheckContext } from './context.js';
import type { GoKind } from './restored.js';
import { canonicalQuantity } from '../../api/quantity.js';

/** Checks one non-null value and returns its stored form. */
export interface Checker {
  check(value: Json, context: CheckContext): Json;
  /** Returns the replacement of a null item of a list or map. */
  zero(): Json;
  readonly goType: string;
}

export const stringChecker: Checker = {
  goType: 'string',
  zero: () => '',
  check: (value, context) => {
    if (typeof value === 'string') return value;
    return wrongType(value, context, { type: 'string' }, '');
  },
};

export const namedText = (goType: string): Checker => ({
  goType,
  zero: () => '',
  check: (value, context) => (typeof value === 'string' ? value : wrongType(value, context, { type: goType, kind: 'string' }, '')),
});

export const booleanChecker: Checker = {
  goType: 'bool',
  zero: () => false,
  check: (value, context) => (typeof value === 'boolean' ? value : wrongType(value, context, { type: 'bool' }, false)),
};

const int32Max = 2 ** 31 - 1;
const int32Min = -(2 ** 31);
const int64Max = 2n ** 63n - 1n;
const int64Min = -(2n ** 63n);

/** The only integer with a kept spelling: as a quantity it differs from 0. */
const isMinusZero = (value: Json): boolean => value instanceof NumberLiteral && value.text === '-0';

/** Numbers beyond 64 bits are floating-point in memory, and become the least integer. */
function wholeInMemory(value: Json): bigint | null {
  const whole = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof whole !== 'bigint') return null;
  return whole >= int64Min && whole <= int64Max ? whole : int64Min;
}

export const int32Checker: Checker = {
  goType: 'int32',
  zero: () => 0,
  check: (value, context) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= int32Min && value <= int32Max) return value;
    if (isMinusZero(value)) return 0;
    const whole = context.numbers === 'memory' ? wholeInMemory(value) : null;
    return whole === null ? wrongType(value, context, { type: 'int32' }, 0) : Number(BigInt.asIntN(32, whole));
  },
};

export const int64Checker: Checker = {
  goType: 'int64',
  zero: () => 0,
  check: (value, context) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    if (typeof value === 'bigint' && value >= int64Min && value <= int64Max) return value;
    if (isMinusZero(value)) return 0;
    const whole = context.numbers === 'memory' ? wholeInMemory(value) : null;
    return whole === null ? wrongType(value, context, { type: 'int64' }, 0) : whole;
  },
};

export const doubleChecker: Checker = {
  goType: 'float64',
  zero: () => 0,
  check: (value, context) => {
    const number = value instanceof NumberLiteral ? Number(value.text) : typeof value === 'bigint' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : wrongType(value, context, { type: 'float64' }, 0);
  },
};

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Matches canonical base64 among texts whose length is a multiple of four: no padding bit is set. */
const canonicalBase64 = /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/;
/** Longer texts are decoded and encoded natively, which keeps canonical ones. */
const shortTextMax = 128;

const isCanonicalBase64 = (text: string): boolean =>
  text.length > shortTextMax
    ? Buffer.from(text, 'base64').toString('base64') === text
    : text.length % 4 === 0 && canonicalBase64.test(text);

export const bytesChecker: Checker = {
  goType: '[]uint8',
  zero: () => '',
  check: (value, context) => {
    if (Array.isArray(value)) return bytesOfNumbers(value, context);
    if (typeof value !== 'string') return wrongType(value, context, { type: '[]uint8', kind: 'slice' }, '');
    if (isCanonicalBase64(value)) return value;
    const text = value.replace(/[\r\n]/g, '');
    const problem = base64Problem(text, value);
    if (problem !== undefined) {
      context.reportText(problem);
      return '';
    }
    return Buffer.from(text, 'base64').toString('base64');
  },
};

/** A list of numbers is read as bytes, as in Go. */
function bytesOfNumbers(items: readonly Json[], context: CheckContext): Json {
  const isByte = (item: Json): boolean => item === null || (typeof item === 'number' && Number.isInteger(item) && item >= 0 && item <= 255);
  const odd = items.find((item) => !isByte(item));
  return odd === undefined ? Buffer.from(items.map(Number)).toString('base64') : wrongType(odd, context, { type: 'uint8' }, '');
}

/** The reference names the first invalid byte, counted in the original text. */
const base64Problem = (text: string, original: string): string | undefined => {
  if (base64.test(text)) return undefined;
  const valid = /^[A-Za-z0-9+/]*/.exec(text)?.[0].length ?? 0;
  const at = text[valid] === undefined ? text.length - (text.length % 4) : paddingProblem(text, valid);
  return `illegal base64 data at input byte ${offsetInOriginal(original, at)}`;
};

const paddingProblem = (text: string, valid: number): number => {
  if (text[valid] !== '=' || valid % 4 < 2) return valid;
  if (valid % 4 === 2 && text[valid + 1] !== '=') return text[valid + 1] === undefined ? text.length : valid + 1;
  return valid % 4 === 2 ? valid + 2 : valid + 1;
};

const offsetInOriginal = (original: string, offset: number): number => {
  let seen = 0;
  for (let index = 0; index < original.length; index++) {
    if (original[index] === '\r' || original[index] === '\n') continue;
    if (seen++ === offset) return index;
  }
  return original.length;
};

const timeChecker = (fractionDigits: 0 | 6): Checker => {
  const check = (value: Json, context: CheckContext): Json => {
    if (typeof value !== 'string') throw new StructureError(context.ownTypeMessage(value, 'string'));
    if (isCanonicalTime(value, fractionDigits)) return value;
    const time = fractionDigits === 6 && !/:\d\d\.\d{6}(?:Z|[-+])/.test(value) ? undefined : parseTime(value);
    if (time === undefined) throw new StructureError(timeProblem(value, fractionDigits));
    return formatTime(time, fractionDigits);
  };
  return { goType: fractionDigits === 0 ? 'v1.Time' : 'v1.MicroTime', zero: () => null, check };
};

const layouts: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^(?:0[1-9]|1[0-2])/, '01'],
  [/^-/, '-'],
  [/^\d{2}/, '02'],
  [/^T/, 'T'],
  [/^\d{2}/, '15'],
  [/^:/, ':'],
  [/^\d{2}/, '04'],
  [/^:/, ':'],
  [/^\d{2}/, '05'],
];

const timeProblem = (text: string, fractionDigits: 0 | 6): string => {
  const layout = fractionDigits === 0 ? '2006-01-02T15:04:05Z07:00' : '2006-01-02T15:04:05.000000Z07:00';
  const start = `parsing time ${JSON.stringify(text)}`;
  const steps = [
    ...layouts,
    fractionDigits === 0 ? ([/^(?:[.,]\d+)?/, ''] as const) : ([/^\.\d{6}(?!\d)/, '.000000'] as const),
    [/^(?:Z|[-+]\d{2}:\d{2})/, 'Z07:00'] as const,
  ];
  let rest = text;
  for (const [pattern, name] of steps) {
    const match = pattern.exec(rest);
    if (match === null) return `${start} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(name)}`;
    rest = rest.slice(match[0].length);
  }
  return rest === '' ? `${start}: ${outOfRange(text)} out of range` : `${start}: extra text: ${JSON.stringify(rest)}`;
};

const outOfRange = (text: string): string => {
  const [hour = 0, minute = 0, second = 0] = text.slice(11, 19).split(':').map(Number);
  return hour > 23 ? 'hour' : minute > 59 ? 'minute' : second > 59 ? 'second' : 'day';
};

const quantityChecker: Checker = {
  goType: 'resource.Quantity',
  zero: () => '0',
  check: (value, context) => {
    const text =
      typeof value === 'string'
        ? value
        : value instanceof NumberLiteral
          ? value.text
          : typeof value === 'object' || typeof value === 'boolean'
            ? JSON.stringify(typeof value === 'boolean' ? value : [])
            : String(value);
    const canonical = canonicalQuantity(text);
    if (!canonical.ok) throw new StructureError(canonical.message);
    if (canonical.text !== text) context.reportRespelled();
    return canonical.text;
  },
};

const intOrStringChecker: Checker = {
  goType: 'intstr.IntOrString',
  zero: () => 0,
  check: (value, context) => {
    if (typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value) && value >= int32Min && value <= int32Max))
      return value;
    throw new StructureError(context.ownTypeMessage(value, 'int32'));
  },
};

/** Accepts any JSON unchanged, except for spellings of numbers. */
const anyChecker: Checker = {
  goType: 'runtime.RawExtension',
  zero: () => null,
  check: (value, context) => {
    if (context.postpones(value))
      return context.postpone(value, function* (own) {
        yield* anyInSteps(value, own);
      });
    context.members += countMembers(value);
    return plainNumbers(value);
  },
};

/** Items per step, each of a thousand values at most. */
const stepItems = 32;

function* anyInSteps(value: Json, context: CheckContext): Steps<Json> {
  if (!context.postpones(value)) {
    context.members += countMembers(value);
    return plainNumbers(value);
  }
  let count = 0;
  const inner = function* (member: Json): Steps<Json> {
    if (++count % stepItems === 0) yield;
    return typeof member === 'object' ? yield* anyInSteps(member, context) : member;
  };
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) value[index] = yield* inner(value[index] as Json);
  else if (isMembers(value))
    for (const name in value) {
      context.members++;
      const before = value[name] as Json;
      if (typeof before === 'object') value[name] = yield* inner(before);
      else if (++count % stepItems === 0) yield;
    }
  return value;
}

const plainNumbers = (value: Json): Json => {
  if (value instanceof NumberLiteral) return Number(value.text);
  if (Array.isArray(value))
    value.forEach((item, index) => {
      if (typeof item === 'object') value[index] = plainNumbers(item);
    });
  else if (isMembers(value))
    for (const name of Object.keys(value)) if (typeof value[name] === 'object') value[name] = plainNumbers(value[name] as Json);
  return value;
};

export const leaves: Readonly<Record<string, Checker>> = {
  'meta.v1.Time': timeChecker(0),
  'meta.v1.MicroTime': timeChecker(6),
  'resource.Quantity': quantityChecker,
  'intstr.IntOrString': intOrStringChecker,
  'runtime.RawExtension': anyChecker,
  'meta.v1.FieldsV1': anyChecker,
  'apiextensions.v1.JSON': anyChecker,
  'meta.v1.Patch': anyChecker,
};

/** A type, and what kind it is where its name is not that. */
type Wanted = { readonly type: string; readonly kind: GoKind } | { readonly type: GoKind; readonly kind?: undefined };

const wrongType = <T extends Json>(value: Json, context: CheckContext, { type, kind }: Wanted, instead: T): T => {
  context.members += countMembers(value);
  context.reportType(value, type, kind ?? type);
  return instead;
};
