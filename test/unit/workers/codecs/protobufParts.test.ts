import { expect } from 'chai';
import fc from 'fast-check';
import { messageNamed, messageOfKind, type Message, type MessageField } from '../../../../api/catalogue/protobuf.js';
import { typeNamed, typeNames, type ApiType } from '../../../../api/catalogue/types.js';
import type { Kind } from '../../../../workers/codecs/contract.js';
import { decodeMessage, encodeMessage } from '../../../../workers/codecs/protobuf/index.js';
import { openEnvelope } from '../../../../workers/codecs/protobuf/envelope.js';
import { decodeObject } from '../../../../workers/decode.js';
import type { ApiObject } from '../../../../api/object.js';
import { withoutEmpty } from '../../../../server/registry/emptyLists.js';
import { checkStructure } from '../../../../workers/schema/structure.js';
import type { JsonMembers } from '../../../../workers/codecs/value.js';
import { randomObject } from './randomObjects.js';

/** The behaviour of the reference's generated code for valid but unusual Protobuf messages. */
const configMap: Kind = { group: '', version: 'v1', kind: 'ConfigMap' };
const types = (): ApiType[] =>
  typeNames()
    .map((name) => typeNamed(name))
    .filter((type): type is ApiType => type !== undefined && type.kinds.length > 0 && messageOfKind(type.kinds[0] as Kind) !== undefined);
const kindOf = (type: ApiType): Kind => type.kinds[0] as Kind;

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
};
const tagged = (number: number, bytes: Buffer): Buffer => Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);

interface Piece {
  readonly number: number;
  readonly wireType: number;
  /** Including tag and length. */ readonly whole: Buffer;
  readonly content: Buffer;
}

/** The fields of a message in order. */
function piecesOf(bytes: Buffer): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const start = at;
    const tag = read();
    const wireType = tag % 8;
    const length = wireType === 2 ? read() : 0;
    const from = at;
    if (wireType === 0) read();
    else at += wireType === 2 ? length : wireType === 1 ? 8 : 4;
    pieces.push({ number: Math.floor(tag / 8), wireType, whole: bytes.subarray(start, at), content: bytes.subarray(from, at) });
  }
  return pieces;
}

const special =
  /^(meta\.v1\.(Micro)?Time|resource\.Quantity|intstr\.IntOrString|runtime\.RawExtension|meta\.v1\.(FieldsV1|Verbs)|.*\.ExtraValue|apiextensions\.\w+\.JSON(SchemaPropsOr\w+)?)$/;
const singleMessage = ({ shape }: MessageField): Message | undefined =>
  shape.is === 'type' && !special.test(shape.name) ? messageNamed(shape.name) : undefined;

/** Splits every singular submessage into two parts. */
function inParts(bytes: Buffer, message: Message, cut: (length: number) => number): Buffer {
  return Buffer.concat(
    piecesOf(bytes).flatMap(({ number, whole, content }) => {
      const field = message.fields.find((each) => each.number === number);
      const below = field === undefined ? undefined : singleMessage(field);
      if (below === undefined) return [whole];
      const parts = piecesOf(inParts(content, below, cut)).map((piece) => piece.whole);
      const at = cut(parts.length + 1);
      return [tagged(number, Buffer.concat(parts.slice(0, at))), tagged(number, Buffer.concat(parts.slice(at)))];
    }),
  );
}

const encodedObject = (type: ApiType, seed: number): { readonly bytes: Buffer; readonly value: JsonMembers } => {
  const checked = checkStructure(randomObject(type, seed) as JsonMembers, type, { unknownFields: 'ignore' });
  if (!checked.ok) throw new Error(checked.message);
  // Protobuf cannot distinguish empty from absent.
  const value = withoutEmpty(checked.value as unknown as ApiObject, kindOf(type)) as unknown as JsonMembers;
  const encoded = encodeMessage(value, kindOf(type));
  if (!encoded.ok) throw new Error(encoded.message);
  return { bytes: Buffer.from(encoded.bytes), value };
};

const anyType = fc.constantFrom(...types());
const problemOf = (bytes: Buffer, kind: Kind): string | null => {
  const decoded = decodeMessage(bytes, kind);
  return decoded.ok ? null : decoded.message;
};

/** Fields of every wire type with valid content. */
const contents: readonly (readonly [wireType: number, content: Buffer])[] = [
  [0, Buffer.from([1])],
  [1, Buffer.alloc(8)],
  [2, Buffer.from([0])],
  [5, Buffer.alloc(4)],
];
const group = (number: number): Buffer =>
  Buffer.concat([varint(number * 8 + 3), varint(8 + 3), varint(8 + 4), varint(2 * 8), Buffer.from([5]), varint(number * 8 + 4)]);

describe('Protobuf messages', function () {
  it('mean the same in parts as in one piece', () => {
    fc.assert(
      fc.property(anyType, fc.integer(), fc.array(fc.nat(), { minLength: 1 }), (type, seed, cuts) => {
        const { bytes, value } = encodedObject(type, seed);
        let next = 0;
        const parts = inParts(bytes, messageOfKind(kindOf(type)) as Message, (length) => (cuts[next++ % cuts.length] ?? 0) % length);
        const decoded = decodeMessage(parts, kindOf(type));
        expect(decoded.ok && decoded.value, `${type.name} ${seed}`).to.deep.equal(value);
      }),
      { numRuns: 400 },
    );
  });

  it('take the last of several values, and collect items and entries', () => {
    const part = (name: string, labels: Record<string, string>, finalizers: readonly string[]): Buffer => {
      const encoded = encodeMessage({ metadata: { name, labels, finalizers } }, configMap);
      return Buffer.from(encoded.ok ? encoded.bytes : []);
    };
    const decoded = decodeMessage(
      Buffer.concat([part('a', { x: '1', y: '1' }, ['f/a']), part('b', { y: '2', z: '2' }, ['f/b'])]),
      configMap,
    );
    expect(decoded)
      .to.have.nested.property('value.metadata')
      .that.deep.includes({ name: 'b', labels: { x: '1', y: '2', z: '2' }, finalizers: ['f/a', 'f/b'] });
  });

  it('are refused when a field that is known has another wire type', () => {
    for (const type of types()) {
      const message = messageOfKind(kindOf(type)) as Message;
      for (const { number, shape } of message.fields) {
        const scalar =
          shape.is === 'scalar' ? shape.scalar : shape.is === 'list' && shape.items.is === 'scalar' ? shape.items.scalar : null;
        const own = scalar === null || scalar === 'string' || scalar === 'bytes' ? 2 : scalar === 'double' ? 1 : 0;
        for (const [wireType, content] of contents) {
          // Number lists may be packed.
          if (wireType === own || (wireType === 2 && shape.is === 'list')) continue;
          expect(problemOf(Buffer.concat([varint(number * 8 + wireType), content]), kindOf(type)), `${message.name} ${number}`).to.match(
            new RegExp(`^proto: wrong wireType = ${wireType} for field [A-Z]\\w*$`),
          );
        }
      }
    }
  });

  it('may have fields that are not known, groups among them, anywhere', () => {
    fc.assert(
      fc.property(
        anyType,
        fc.integer(),
        fc.nat(),
        fc.constantFrom(...contents.map(([wireType, content]) => Buffer.concat([varint(9_999 * 8 + wireType), content])), group(9_999)),
        (type, seed, place, unknown) => {
          const { bytes, value } = encodedObject(type, seed);
          const pieces = piecesOf(bytes).map((piece) => piece.whole);
          const at = place % (pieces.length + 1);
          const decoded = decodeMessage(Buffer.concat([...pieces.slice(0, at), unknown, ...pieces.slice(at)]), kindOf(type));
          expect(decoded.ok && decoded.value, type.name).to.deep.equal(value);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are refused with what is wrong with them', () => {
    const bad: readonly (readonly [bytes: readonly number[], message: string])[] = [
      [[0x10, 0x05], 'proto: wrong wireType = 0 for field Data'],
      [[0x22, 0x00], 'proto: wrong wireType = 2 for field Immutable'],
      [[0x0a, 0x02, 0x08, 0x01], 'proto: wrong wireType = 0 for field Name'],
      [[0x02, 0x00], 'proto: ConfigMap: illegal tag 0 (wire type 2)'],
      [[0x0c], 'proto: ConfigMap: wiretype end group for non-group'],
      [[0xfe, 0x7f], 'proto: illegal wireType 6'],
      [[0xfb, 0x7f, 0xff, 0x7f], 'proto: illegal wireType 7'],
      [[0xfb, 0x7f], 'unexpected EOF'],
      [[0x0a], 'unexpected EOF'],
      [[0x0a, 0x01], 'unexpected EOF'],
      [[0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], 'proto: negative length found during unmarshaling'],
      [Array<number>(11).fill(0xff), 'proto: integer overflow'],
    ];
    for (const [bytes, message] of bad) expect(problemOf(Buffer.from(bytes), configMap), message).to.equal(message);
  });

  it('are checked in their envelopes as well, whose content is always Protobuf', () => {
    const envelope = (...parts: readonly Buffer[]): Buffer => Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0x00]), ...parts]);
    const typeMeta = tagged(1, Buffer.concat([tagged(1, Buffer.from('v1')), tagged(2, Buffer.from('ConfigMap'))]));
    const raw = tagged(2, tagged(1, tagged(1, Buffer.from('a'))));
    expect(openEnvelope(envelope())).to.deep.equal({ ok: false, message: 'empty body' });
    expect(openEnvelope(envelope(Buffer.from([0x08, 0x01])))).to.deep.equal({
      ok: false,
      message: 'proto: wrong wireType = 0 for field TypeMeta',
    });
    const read = (bytes: Buffer): unknown => decodeObject({ bytes, encoding: 'protobuf', kind: configMap, findStrict: true });
    for (const bytes of [
      envelope(typeMeta, raw),
      envelope(raw, typeMeta, tagged(3, Buffer.from('gzip')), tagged(4, Buffer.from('text/plain'))),
    ])
      expect(read(bytes)).to.have.nested.property('object.metadata.name', 'a');
    const inParts = envelope(tagged(1, tagged(1, Buffer.from('v1'))), tagged(1, tagged(2, Buffer.from('ConfigMap'))), raw);
    expect(read(inParts)).to.deep.include({ ok: true });
    expect(read(envelope(typeMeta, tagged(2, Buffer.from([0x10, 0x05]))))).to.deep.equal({
      ok: false,
      stage: 'structure',
      message: 'proto: wrong wireType = 0 for field Data',
    });
  });
});
