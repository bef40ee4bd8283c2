import protobuf from 'protobufjs/minimal.js';
import type { JsonObject } from '../../../api/object.js';
import { writeYaml } from '../../../workers/codecs/yamlWriter.js';
import type { Messages } from './messages.js';

const { Writer } = protobuf;
type Writer = protobuf.Writer;

const delimited = 2;
const fixed64 = 1;
const varint = 0;

type Write = (writer: Writer, number: number, value: unknown) => void;

export function documentEncoder(messages: Messages): (document: JsonObject) => Uint8Array {
  const encoder = new Encoder(messages);
  return (document) => {
    const writer = Writer.create();
    encoder.message('Document')(writer, document);
    return writer.finish();
  };
}

const scalars: Readonly<Record<string, Write>> = {
  string: (writer, number, value) => {
    writer.uint32((number << 3) | delimited).string(String(value));
  },
  boolean: (writer, number, value) => {
    writer.uint32((number << 3) | varint).bool(value === true);
  },
  double: (writer, number, value) => {
    writer.uint32((number << 3) | fixed64).double(Number(value));
  },
  any: (writer, number, value) => {
    writer.uint32((number << 3) | delimited).fork();
    // Field 2 is YAML text, in block style, because clients compare it.
    writer
      .uint32((2 << 3) | delimited)
      .string(writeYaml(value))
      .ldelim();
  },
  nothing: () => {},
};

type Member = (writer: Writer, value: unknown) => void;
const membersOf = (value: unknown): [string, unknown][] => (typeof value === 'object' && value !== null ? Object.entries(value) : []);

class Encoder {
  readonly #messages: Messages;
  readonly #compiled = new Map<string, readonly Member[]>();

  constructor(messages: Messages) {
    this.#messages = messages;
  }

  /** Writes the fields of a message, without its length. */
  message(name: string): (writer: Writer, value: unknown) => void {
    const choice = this.#messages.choices[name];
    if (choice !== undefined) {
      return (writer, value) => {
        const [number, rule] = choice(value);
        this.#rule(rule)(writer, number, value);
      };
    }
    return (writer, value) => {
      for (const member of this.#members(name)) member(writer, value);
    };
  }

  #members(name: string): readonly Member[] {
    let members = this.#compiled.get(name);
    if (members === undefined)
      this.#compiled.set(name, (members = (this.#messages.table[name] ?? unknown(name)).split(';').map((text) => this.#member(text))));
    return members;
  }

  #member(text: string): Member {
    const [digits = '', name = '', rule = ''] = text.split(' ');
    const number = Number(digits);
    if (rule === 'x-')
      return (writer, value) => {
        for (const member of membersOf(value))
          if (member[0].startsWith('x-')) this.#pair(writer, number, member, scalars['any'] ?? unknown(rule));
      };
    const write = this.#rule(rule);
    if (name === '.')
      return (writer, value) => {
        write(writer, number, value);
      };
    return (writer, value) => {
      const found = (value as Readonly<Record<string, unknown>>)[name];
      if (found !== undefined) write(writer, number, found);
    };
  }

  #rule(rule: string): Write {
    const scalar = scalars[rule];
    if (scalar !== undefined) return scalar;
    if (rule.startsWith('[]')) return this.#repeated(rule.slice(2));
    const [, number, values] = /^\{(\d+)\}(.+)$/.exec(rule) ?? [];
    return number === undefined || values === undefined ? this.#nested(rule) : this.#named(Number(number), values);
  }

  /** A single value in place of a list counts as its only item. */
  #repeated(rule: string): Write {
    const write = this.#rule(rule);
    return (writer, number, value) => {
      for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) write(writer, number, each);
    };
  }

  #nested(name: string): Write {
    return (writer, number, value) => {
      writer.uint32((number << 3) | delimited).fork();
      this.message(name)(writer, value);
      writer.ldelim();
    };
  }

  #named(number: number, rule: string): Write {
    const write = this.#rule(rule);
    return (writer, outer, value) => {
      writer.uint32((outer << 3) | delimited).fork();
      for (const member of membersOf(value)) this.#pair(writer, number, member, write);
      writer.ldelim();
    };
  }

  /** Name and value are fields 1 and 2 of a message. */
  #pair(writer: Writer, number: number, [key, value]: readonly [string, unknown], write: Write): void {
    writer.uint32((number << 3) | delimited).fork();
    writer.uint32((1 << 3) | delimited).string(key);
    write(writer, 2, value);
    writer.ldelim();
  }
}

const unknown = (name: string): never => {
  throw new Error(`message ${name} is not in the table`);
};
