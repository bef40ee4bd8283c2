import { compileRegexp, type Regexp } from '../../regexp/regexp.js';
import { isCidr, isEmail, isIpv4Format, isIpv6Format, isMac, isRequestUri } from './addresses.js';

/** The texts that the reference accepts per format; other formats have no effect. Names are looked up without dashes: `date-time` equals `datetime`. */

/** Longer texts match no format; this bounds non-linear checks. */
const textMax = 4_096;

const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4Format,
  ipv6: isIpv6Format,
  cidr: isCidr,
  mac: isMac,
  uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: isRgbColor,
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  datetime: isDateTime,
  duration: isDuration,
  k8sshortname: (text) => text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text),
  k8slongname: isLongName,
};

const unbounded: ReadonlySet<string> = new Set(['byte', 'password']);

export function formatCheck(format: string): ((text: string) => boolean) | undefined {
  const name = format.replaceAll('-', '');
  const check = Object.hasOwn(formats, name) ? formats[name] : undefined;
  return check === undefined || unbounded.has(name) ? check : (text) => text.length <= textMax && check(text);
}

const numeric: Readonly<Record<string, readonly string[]>> = { integer: ['int32', 'int64'], number: ['float', 'double'] };

/** Returns whether a format applies to a type, empty if a schema names none or several. */
export function isRecognized(format: string, type: string): boolean {
  return type === '' || type === 'string' ? formatCheck(format) !== undefined : numeric[type]?.includes(format) === true;
}

const letter = '[a-zA-Z0-9\\p{S}\\p{L}]';
const hostLabel = `${letter}(?:[a-zA-Z0-9\\-\\p{S}\\p{L}]{0,61}${letter})?`;
/** One word, or labels that end in a domain of letters. Like the reference, one word has at most one dash, after its first character. */
const hostnameSource = `^(?:${letter}-?${letter}{0,62}|(?:${hostLabel}\\.)+[a-zA-Z\\p{L}]{2,63})$`;
let hostname: Regexp | undefined;

function isHostname(text: string): boolean {
  if (hostname === undefined) {
    const compiled = compileRegexp(hostnameSource);
    if (!compiled.ok) throw new Error(compiled.message);
    hostname = compiled.regexp;
  }
  return Buffer.byteLength(text) <= 255 && hostname.test(text) && text.split('.').every((label) => Buffer.byteLength(label) <= 63);
}

function isLongName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(label));
}

const digitsOf = (text: string): number[] => [...text].map(Number);

function isIsbn10(text: string): boolean {
  const compact = text.replace(/[\s-]+/g, '');
  if (!/^(?:\d{9}X|\d{10})$/.test(compact)) return false;
  const sum = [...compact].reduce((total, digit, index) => total + (index + 1) * (digit === 'X' ? 10 : Number(digit)), 0);
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const compact = text.replace(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(compact)) return false;
  return digitsOf(compact).reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

const card = /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(text: string): boolean {
  const compact = text.replace(/[^0-9]+/g, '');
  if (!card.test(compact)) return false;
  const sum = digitsOf(compact)
    .reverse()
    .reduce((total, digit, index) => total + (index % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit), 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const found = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text);
  return found !== null && found.slice(1).every((part) => Number(part) <= 255 && (part === '0' || !part.startsWith('0')));
}

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (found === null) return false;
  const [year = 0, month = 0, day = 0] = found.slice(1).map(Number);
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  return month >= 1 && month <= 12 && day >= 1 && day <= (days[month - 1] ?? 0) + leap;
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const found = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/.exec(time);
  return found !== null && Number(found[1]) <= 23 && Number(found[2]) <= 59 && Number(found[3]) <= 59;
}

const units = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];
/** Each run of digits matches in only one way. */
const goDuration = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const int64Digits = 19;

/** Accepts `1h30m`, or any text with a number before a unit: `5 minutes`, `P1D`. */
function isDuration(text: string): boolean {
  if (goDuration.test(text)) return true;
  const found = [...text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)];
  if (found.some(([, number = '']) => number.replace(/^0+/, '').length > int64Digits)) return false;
  return found.some(([, , unit = '']) =>
    units.some((names) =>
      names.some((name, index) => (index === names.length - 1 ? unit.toLowerCase().startsWith(name) : unit.toLowerCase() === name)),
    ),
  );
}
