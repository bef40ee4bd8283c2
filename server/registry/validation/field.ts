import { writeWithSortedMaps } from '../../../workers/codecs/jsonWriter.js';
import type { CauseType } from '../../../workers/schema/custom/contract.js';
import type { StatusCause } from '../../../api/status.js';
import type { FieldGate } from '../../../program/features/gates.js';

/** Clients see it in `details.causes`. */
export type FieldErrorType = CauseType | 'FieldValueNotFound' | 'InternalError';

/** `message` is the text after the path in the cause, for example `Required value: name is needed`. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly path: string;
  readonly message: string;
  readonly gate?: FindingGate;
  /** A fault that an object may keep (`withoutKept`). */
  readonly kept?: string;
}

/** See `gatedFindings.ts`. */
export interface FindingGate {
  readonly feature: FieldGate;
  readonly standsWhile: 'on' | 'off';
}

/** Marks findings of a rule that has become stricter: stored objects may keep `fault`. */
export const keepable = (fault: string, findings: readonly FieldError[]): FieldError[] =>
  findings.map((finding) => ({ ...finding, kept: fault }));

/** The same findings where the rule has always been strict, regardless of features. */
export const strictly = (findings: readonly FieldError[]): FieldError[] =>
  findings.map(({ kept: _kept, gate: _gate, ...finding }) => finding);

/** `before` computes the findings about the stored object. */
export function withoutKept(findings: FieldError[], before: () => readonly FieldError[]): FieldError[] {
  if (findings.every(({ kept }) => kept === undefined)) return findings;
  const faults = new Set(before().map(({ kept }) => kept));
  return findings.filter(({ kept }) => kept === undefined || !faults.has(kept));
}

/** Messages write it as `spec.ports[0].name`, `metadata.labels[app]`. A path has no text until it is read. */
export class Path {
  readonly #parent: Path | null;
  readonly #step: string | number;
  readonly #isIndex: boolean;

  private constructor(parent: Path | null, step: string | number, isIndex: boolean) {
    this.#parent = parent;
    this.#step = step;
    this.#isIndex = isIndex;
  }
  static readonly root = new Path(null, '', false);
  static of(first: string, ...rest: string[]): Path {
    return Path.root.child(first, ...rest);
  }

  child(...names: string[]): Path {
    let path: Path = this;
    for (const name of names) path = new Path(path, name, false);
    return path;
  }

  get parent(): Path {
    return this.#parent ?? this;
  }

  index(position: number): Path {
    return new Path(this, position, true);
  }
  key(key: string): Path {
    return new Path(this, key, true);
  }

  toString(): string {
    if (this.#parent === null) return '';
    const before = this.#parent.toString();
    if (this.#isIndex) return `${before}[${this.#step}]`;
    return before === '' ? String(this.#step) : `${before}.${this.#step}`;
  }
}

export function quote(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  // The reference's JSON is safe in HTML.
  if (typeof value === 'object')
    return writeWithSortedMaps(value).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  return String(value);
}

const colon = (head: string, detail: string): string => (detail === '' ? head : `${head}: ${detail}`);

export const required = (path: Path, detail: string): FieldError => ({
  type: 'FieldValueRequired',
  path: path.toString(),
  message: colon('Required value', detail),
});
export const invalid = (path: Path, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  path: path.toString(),
  message: colon(`Invalid value: ${quote(value)}`, detail),
});
/** Omits secret or long values. */
export const invalidUnquoted = (path: Path, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  path: path.toString(),
  message: colon('Invalid value', detail),
});
export const duplicate = (path: Path, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  path: path.toString(),
  message: `Duplicate value: ${quote(value)}`,
});
export const forbidden = (path: Path, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  path: path.toString(),
  message: colon('Forbidden', detail),
});
export const internalError = (path: Path, detail: string): FieldError => ({
  type: 'InternalError',
  path: path.toString(),
  message: colon('Internal error', detail),
});
export const fieldNotFound = (path: Path, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  path: path.toString(),
  message: `Not found: ${quote(value)}`,
});
export const tooLong = (path: Path, max: number): FieldError => ({
  type: 'FieldValueTooLong',
  path: path.toString(),
  message: `Too long: may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`,
});
export const tooMany = (path: Path, actual: number, max: number): FieldError => ({
  type: 'FieldValueTooMany',
  path: path.toString(),
  message: `Too many: ${actual}: must have at most ${max} items`,
});
/** `supported` is printed in the order given. */
export const notSupported = (path: Path, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  path: path.toString(),
  message: colon(
    `Unsupported value: ${quote(value)}`,
    supported.length === 0 ? '' : `supported values: ${supported.map(quote).join(', ')}`,
  ),
});

export const toCause = (error: FieldError): StatusCause => ({ reason: error.type, message: error.message, field: error.path });
