import { Failure, noOverload, Opaque, type Value } from '../values.js';
import type { Implementation, Library } from './library.js';

/** Versions as https://semver.org orders them. */
class Semver extends Opaque {
  readonly typeName = 'kubernetes.Semver';
  constructor(
    readonly numbers: readonly bigint[],
    readonly release: readonly string[],
  ) {
    super();
  }

  equals(other: Opaque): boolean {
    return other instanceof Semver && this.compareTo(other) === 0;
  }

  compareTo(other: Semver): number {
    for (let i = 0; i < 3; i++) {
      const [a = 0n, b = 0n] = [this.numbers[i], other.numbers[i]];
      if (a !== b) return a < b ? -1 : 1;
    }
    return compareReleases(this.release, other.release);
  }
}

/** A prerelease precedes its release. */
function compareReleases(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return one.length === other.length ? 0 : one.length === 0 ? 1 : -1;
  for (let i = 0; i < Math.min(one.length, other.length); i++) {
    const order = compareParts(one[i] ?? '', other[i] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(one.length - other.length);
}

const isNumber = (part: string): boolean => /^\d+$/.test(part);

function compareParts(one: string, other: string): number {
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  if (isNumber(one)) return BigInt(one) < BigInt(other) ? -1 : BigInt(one) > BigInt(other) ? 1 : 0;
  return one < other ? -1 : one > other ? 1 : 0;
}

const largest = 2n ** 64n;
const charactersMax = 1_000;

/** The reference's message for the first wrong part. */
function read(text: string, loose: boolean): Semver | Failure {
  const source = loose ? normalized(text) : text;
  if (source === '') return new Failure('Version string empty');
  if (source.length > charactersMax) return new Failure('version is too long');
  const [, core = '', release, build] = /^([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/s.exec(source) ?? [];
  const numbers = core.split('.');
  if (numbers.length !== 3) return new Failure('No Major.Minor.Patch elements found');
  for (const number of numbers) {
    if (!isNumber(number))
      return new Failure(`Invalid character(s) found in ${['major', 'minor', 'patch'][numbers.indexOf(number)]} number "${number}"`);
    if (number.length > 1 && number.startsWith('0'))
      return new Failure(`${['Major', 'Minor', 'Patch'][numbers.indexOf(number)]} number must not contain leading zeroes "${number}"`);
    if (BigInt(number) >= largest) return new Failure(`strconv.ParseUint: parsing "${number}": value out of range`);
  }
  const wrong = wrongParts(release, 'prerelease', true) ?? wrongParts(build, 'build meta data', false);
  return wrong ?? new Semver(numbers.map(BigInt), release === undefined ? [] : release.split('.'));
}

function wrongParts(text: string | undefined, what: string, numbers: boolean): Failure | null {
  for (const part of text === undefined ? [] : text.split('.')) {
    if (part === '') return new Failure(what === 'prerelease' ? 'Prerelease is empty' : 'Build meta data is empty');
    if (!/^[0-9A-Za-z-]+$/.test(part)) return new Failure(`Invalid character(s) found in ${what} "${part}"`);
    if (numbers && isNumber(part) && part.length > 1 && part.startsWith('0'))
      return new Failure(`Numeric PreRelease version must not contain leading zeroes "${part}"`);
  }
  return null;
}

/** Removes a leading `v` and leading zeros, and completes the three numbers. */
function normalized(text: string): string {
  const [, core = '', rest = ''] = /^v?([^+-]*)(.*)$/s.exec(text) ?? [];
  const numbers = core.split('.');
  if (numbers.length > 3) return text;
  return (
    [...numbers, '0', '0']
      .slice(0, 3)
      .map((number) => number.replace(/^0+(?=\d)/, ''))
      .join('.') + rest
  );
}

export const isVersion = (text: string): boolean => !(read(text, false) instanceof Failure);

/** False when either is not a version. */
export function isBefore(one: string, other: string): boolean {
  const [left, right] = [read(one, false), read(other, false)];
  return left instanceof Semver && right instanceof Semver && left.compareTo(right) < 0;
}

/** A text that is not a version sorts lowest. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [read(one, false), read(other, false)];
  const lowest = new Semver([], []);
  return (left instanceof Semver ? left : lowest).compareTo(right instanceof Semver ? right : lowest);
}

const reading =
  (use: (version: Semver | Failure) => Value): Implementation =>
  ([text, loose = false]) =>
    typeof text === 'string' && typeof loose === 'boolean' ? use(read(text, loose)) : noOverload;
const ofTwo =
  (use: (order: number) => Value): Implementation =>
  ([one, other]) =>
    one instanceof Semver && other instanceof Semver ? use(one.compareTo(other)) : noOverload;
const number =
  (position: number): Implementation =>
  ([one]) =>
    one instanceof Semver ? (one.numbers[position] ?? 0n) : noOverload;
const make = reading((version) => version);
const ask = reading((version) => !(version instanceof Failure));

export const semvers: Library = {
  'semver/1': make,
  'semver/2': make,
  'isSemver/1': ask,
  'isSemver/2': ask,
  '.isGreaterThan/1': ofTwo((order) => order > 0),
  '.isLessThan/1': ofTwo((order) => order < 0),
  '.compareTo/1': ofTwo((order) => BigInt(order)),
  '.major/0': number(0),
  '.minor/0': number(1),
  '.patch/0': number(2),
};
