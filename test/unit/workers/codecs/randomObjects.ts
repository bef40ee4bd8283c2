import { typeNamed, type ApiType, type Field, type Scalar, type Shape } from '../../../../api/catalogue/types.js';

/** Makes random objects of any built-in type by seed. */
export const randomObject = (type: ApiType, seed: number): Record<string, unknown> => new Maker(seed).object(type, 0);

const nestingMax = 7;
const words = [
  '',
  'a',
  'name',
  'x-y.z/w',
  'no',
  '1',
  '1e3',
  '2024-01-01',
  'ü😀',
  'two words',
  'line\nbreak',
  ' lead',
  '# hash',
  '"quoted"',
  '\t',
  'null',
  '~',
  'word '.repeat(30),
];
const quantities = ['0', '1', '100m', '1Gi', '1536Mi', '1e3', '2k', '5'];

class Maker {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  object(type: ApiType, depth: number): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (const field of type.fields?.values() ?? []) {
      // An inner object has no kind in Protobuf.
      if (type.kinds.length > 0 && (field.name === 'kind' || field.name === 'apiVersion')) continue;
      if (this.#chance(depth > 3 ? 0.25 : 0.6)) value[field.name] = this.#field(field, depth);
    }
    return value;
  }

  /**
   * Members that become null when empty are null at once, because no codec distinguishes them. Policies are not empty, because empty ones are refused and
   * Protobuf would drop them.
   */
  #field({ name, shape, presence }: Field, depth: number): unknown {
    const value = name === 'policies' && shape.is === 'list' ? [this.#value(shape.items, depth + 1)] : this.#value(shape, depth);
    const isEmpty = (shape.is === 'list' || shape.is === 'map') && Object.keys(value as object).length === 0;
    return isEmpty && presence === 'nullable' ? null : value;
  }

  #value(shape: Shape, depth: number): unknown {
    if (shape.is === 'scalar') return this.#scalar(shape.scalar);
    if (shape.is === 'list') return this.#times(3).map(() => this.#value(shape.items, depth + 1));
    if (shape.is === 'map')
      return Object.fromEntries(this.#times(3).map((index) => [`${this.#pick(words)}${index}`, this.#value(shape.values, depth + 1)]));
    return this.#named(shape.name, depth + 1);
  }

  #named(name: string, depth: number): unknown {
    const leaf = this.#leaf(name.split('.').at(-1) ?? '');
    if (leaf !== undefined) return leaf;
    const type = typeNamed(name);
    return type === undefined || depth > nestingMax ? {} : this.object(type, depth);
  }

  #leaf(name: string): unknown {
    switch (name) {
      case 'Quantity':
        return this.#pick(quantities);
      case 'Time':
        return new Date(this.#below(4e9) * 1000).toISOString().replace('.000Z', 'Z');
      case 'MicroTime':
        return new Date(this.#below(4e9) * 1000).toISOString().replace('.000Z', `.${String(this.#below(1e6)).padStart(6, '0')}Z`);
      case 'IntOrString':
        return this.#chance(0.5) ? this.#below(70000) : this.#pick(words);
      case 'JSONSchemaPropsOrBool':
        return this.#chance(0.5);
      case 'JSONSchemaPropsOrArray':
        return [{ type: 'object' }, {}];
      case 'JSONSchemaPropsOrStringArray':
        return ['a', 'b'];
      case 'RawExtension':
      case 'JSON':
        return { [this.#pick(words)]: [1, 1.5, null, { a: 'x' }], big: 9007199254740993n };
      case 'FieldsV1':
        return { 'f:metadata': { '.': {} } };
      default:
        return undefined;
    }
  }

  #scalar(scalar: Scalar): unknown {
    switch (scalar) {
      case 'string':
        return this.#pick(words);
      case 'bytes':
        return Buffer.from(this.#times(5)).toString('base64');
      case 'int32':
        return this.#below(2 ** 32) - 2 ** 31;
      case 'int64':
        return this.#chance(0.2) ? 9223372036854775807n - BigInt(this.#below(1e9)) : this.#below(2 ** 32) * 4096 - 2 ** 40;
      case 'double':
        return (this.#below(2000) - 1000) / 8;
      case 'boolean':
        return this.#chance(0.5);
    }
  }

  #times(max: number): number[] {
    return Array.from({ length: this.#below(max + 1) }, (_item, index) => index);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }

  #chance(probability: number): boolean {
    return this.#next() < probability;
  }

  #below(bound: number): number {
    return Math.floor(this.#next() * bound);
  }

  /** mulberry32 */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }
}
