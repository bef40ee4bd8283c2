import { gzipSync } from 'node:zlib';

export interface ValueType {
  readonly type: string;
  readonly unit: string;
}

export interface Frame {
  readonly name: string;
  readonly file: string;
  /** Counted from 1; 0 if unknown. */
  readonly line: number;
}

export interface Sample {
  readonly stack: readonly Frame[];
  readonly values: readonly number[];
}

export interface Profile {
  readonly types: readonly ValueType[];
  readonly samples: readonly Sample[];
  readonly period: { readonly type: ValueType; readonly value: number };
  /** Milliseconds since 1970. */
  readonly takenAt: number;
  readonly durationMs: number;
}

/** Field numbers of `profile.proto`. */
const profile = {
  sampleType: 1,
  sample: 2,
  location: 4,
  function: 5,
  strings: 6,
  time: 9,
  duration: 10,
  periodType: 11,
  period: 12,
} as const;

/** The same input always yields the same output. */
export const encodePprof = (profile: Profile): Buffer => gzipSync(protobufOf(profile));

function protobufOf({ types, samples, period, takenAt, durationMs }: Profile): Buffer {
  const strings = new Table<string>();
  strings.of('');
  const functions = new Table<string>();
  const locations = new Table<string>();
  const out = new Writer();
  const valueType = ({ type, unit }: ValueType): Writer => new Writer().number(1, strings.of(type)).number(2, strings.of(unit));
  const functionMessages: Writer[] = [];
  const locationMessages: Writer[] = [];
  const location = ({ name, file, line }: Frame): number => {
    const functionKey = `${name}\0${file}`;
    const functionId = functions.of(functionKey) + 1;
    if (functionId > functionMessages.length)
      functionMessages.push(
        new Writer().number(1, functionId).number(2, strings.of(name)).number(3, strings.of(name)).number(4, strings.of(file)),
      );
    const id = locations.of(`${functionId}:${line}`) + 1;
    if (id > locationMessages.length)
      locationMessages.push(new Writer().number(1, id).message(4, new Writer().number(1, functionId).number(2, line)));
    return id;
  };
  for (const type of types) out.message(profile.sampleType, valueType(type));
  for (const { stack, values } of samples) out.message(profile.sample, new Writer().packed(1, stack.map(location)).packed(2, values));
  for (const message of locationMessages) out.message(profile.location, message);
  for (const message of functionMessages) out.message(profile.function, message);
  const periodType = valueType(period.type);
  for (const text of strings.all) out.bytes(profile.strings, Buffer.from(text));
  return out
    .number(profile.time, takenAt * 1e6)
    .number(profile.duration, durationMs * 1e6)
    .message(profile.periodType, periodType)
    .number(profile.period, period.value)
    .finish();
}

class Table<K> {
  readonly #numbers = new Map<K, number>();

  of(key: K): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  get all(): Iterable<K> {
    return this.#numbers.keys();
  }
}

const varintType = 0;
const length = 2;

class Writer {
  readonly #parts: Buffer[] = [];

  number(field: number, value: number): this {
    this.#parts.push(varint(BigInt(field * 8 + varintType)), varint(BigInt(Math.round(value))));
    return this;
  }

  bytes(field: number, bytes: Buffer): this {
    this.#parts.push(varint(BigInt(field * 8 + length)), varint(BigInt(bytes.length)), bytes);
    return this;
  }

  message(field: number, message: Writer): this {
    return this.bytes(field, message.finish());
  }

  packed(field: number, values: readonly number[]): this {
    return this.bytes(field, Buffer.concat(values.map((value) => varint(BigInt(Math.round(value))))));
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
