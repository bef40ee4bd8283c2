import { expect } from 'chai';
import protobuf from 'protobufjs';
import { messageNamed, messageOfKind } from '../../../../api/catalogue/protobuf.js';
import type { Shape } from '../../../../api/catalogue/types.js';
import { decodeMessage, encodeMessage, protobufDecode, protobufEncode } from '../../../../workers/codecs/protobuf/index.js';
import { openEnvelope } from '../../../../workers/codecs/protobuf/envelope.js';
import { roundtripPairs, type Pair } from './files.js';

const podKind = { group: '', version: 'v1', kind: 'Pod' };

const checkPair = ({ name, kind, json, protobuf: expected }: Pair): void => {
  const encoded = protobufEncode(json, kind);
  expect(encoded.ok && encoded.bytes.toString('latin1'), name).to.equal(expected.toString('latin1'));
  const decoded = protobufDecode(expected, kind);
  expect(decoded.ok && decoded.value, name).to.deep.equal(json);
};

describe('Protobuf codec', () => {
  it('writes and reads every pair of the fixtures byte for byte', () => {
    expect(roundtripPairs().length).to.be.greaterThan(100);
    roundtripPairs().forEach(checkPair);
  });

  it('writes what an independent implementation reads from the same field numbers', () => {
    const root = new protobuf.Root();
    const known = new Map<string, protobuf.Type>();
    const pair = roundtripPairs().find(({ name }) => name === 'policy.v1.PodDisruptionBudget') as Pair;
    const type = reflected(messageOfKind(pair.kind)?.name ?? '', root, known);
    const encoded = encodeMessage(pair.json, pair.kind);
    const read = type.toObject(type.decode(encoded.ok ? encoded.bytes : Buffer.alloc(0))) as { metadata: object; spec: object };
    expect(read.metadata).to.include({ name: 'nameValue', resourceVersion: 'resourceVersionValue' });
    expect(read.spec).to.deep.include({ unhealthyPodEvictionPolicy: 'unhealthyPodEvictionPolicyValue' });
  });

  it('writes members that the reference holds by value even when they are zero, and pointers only when they are set', () => {
    const deployment = { group: 'apps', version: 'v1', kind: 'Deployment' };
    const decoded = (spec: object): unknown => {
      const encoded = encodeMessage({ spec }, deployment);
      const result = decodeMessage(encoded.ok ? encoded.bytes : Buffer.alloc(0), deployment);
      return result.ok && result.value['spec'];
    };
    expect(decoded({})).to.not.have.property('replicas');
    expect(decoded({ replicas: 0, paused: false }))
      .to.include({ replicas: 0 })
      .and.not.have.property('paused');
    const pod = encodeMessage({}, podKind);
    const bare = decodeMessage(pod.ok ? pod.bytes : Buffer.alloc(0), podKind);
    expect(bare).to.deep.equal({ ok: true, value: { metadata: {}, spec: { containers: null }, status: {} } });
  });

  it('keeps 64-bit integers and sorts maps by bytes', () => {
    const lease = encodeMessage({ metadata: { generation: -9223372036854775808n, labels: { ﬀ: '2', '😀': '3', a: '1' } } }, podKind);
    const decoded = decodeMessage(lease.ok ? lease.bytes : Buffer.alloc(0), podKind);
    const metadata = decoded.ok ? (decoded.value['metadata'] as { generation: bigint; labels: object }) : undefined;
    expect(metadata?.generation).to.equal(-9223372036854775808n);
    expect(Object.keys(metadata?.labels ?? {})).to.deep.equal(['a', 'ﬀ', '😀']);
  });

  it('writes JSON inside objects as Go does, whose controllers compare it byte by byte with their own', () => {
    const textOf = (data: object): string => {
      const encoded = protobufEncode({ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'a' }, revision: 1, data });
      return encoded.ok ? (/\{.*\}/s.exec(encoded.bytes.toString('utf8'))?.[0] ?? '') : encoded.message;
    };
    expect(textOf({ spec: { b: ['x && <y>\u2028'], a: 1e21 } })).to.equal(
      String.raw`{"spec":{"b":["x \u0026\u0026 \u003cy\u003e\u2028"],"a":1e+21}}`,
    );
    const labels = { 9: 'a', 10: 'b', A: 'c', gone: undefined };
    expect(textOf({ z: [{ labels }], n: 9007199254740993n, y: null })).to.equal(
      '{"z":[{"labels":{"10":"b","9":"a","A":"c"}}],"n":9007199254740993,"y":null}',
    );
  });

  it('skips unknown fields and refuses what is cut off', () => {
    const encoded = protobufEncode({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } });
    if (!encoded.ok) throw new Error(encoded.message);
    const opened = openEnvelope(encoded.bytes);
    const raw = opened.ok ? opened.envelope.raw : Buffer.alloc(0);
    const configMap = { group: '', version: 'v1', kind: 'ConfigMap' };
    const unknown = Buffer.concat([raw, Buffer.from([0xf8, 0x07, 0x05, 0xfa, 0x07, 0x01, 0x00, 0xf9, 0x07, 1, 2, 3, 4, 5, 6, 7, 8])]);
    expect(decodeMessage(unknown, configMap)).to.deep.equal(decodeMessage(raw, configMap));
    expect(decodeMessage(raw.subarray(0, raw.length - 1), configMap)).to.deep.equal({ ok: false, message: 'unexpected EOF' });
    expect(protobufDecode(Buffer.from('{}'))).to.deep.equal({
      ok: false,
      message: 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    });
    expect(protobufDecode(Buffer.alloc(0))).to.deep.equal({ ok: false, message: 'empty data' });
  });

  it('refuses values that do not fit and kinds without messages', () => {
    expect(encodeMessage({ spec: { hostname: 5 } }, podKind)).to.deep.include({ ok: false });
    expect(encodeMessage({ metadata: { creationTimestamp: 'yesterday' } }, podKind)).to.deep.include({ ok: false });
    expect(encodeMessage({}, { group: 'example.com', version: 'v1', kind: 'Widget' })).to.deep.include({ ok: false });
  });

  it('refuses schemas that are nested without end', () => {
    const kind = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' };
    let schema: object = { type: 'object' };
    for (let depth = 0; depth < 300; depth++) schema = { not: schema };
    const encoded = encodeMessage({ spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } }, kind);
    expect(encoded.ok && decodeMessage(encoded.bytes, kind)).to.deep.equal({ ok: false, message: 'proto: exceeded max depth' });
  });
});

/** The message in protobufjs, from the same catalogue. */
const reflected = (name: string, root: protobuf.Root, known: Map<string, protobuf.Type>): protobuf.Type => {
  const existing = known.get(name);
  if (existing !== undefined) return existing;
  const type = new protobuf.Type(name.replaceAll('.', '_'));
  known.set(name, type);
  root.add(type);
  for (const field of messageNamed(name)?.fields ?? []) {
    const { shape } = field;
    if (shape.is === 'map') type.add(new protobuf.MapField(field.name, field.number, 'string', wireName(shape.values, root, known)));
    else
      type.add(
        new protobuf.Field(
          field.name,
          field.number,
          wireName(shape.is === 'list' ? shape.items : shape, root, known),
          shape.is === 'list' ? 'repeated' : 'optional',
        ),
      );
  }
  return type;
};

const wireName = (shape: Shape, root: protobuf.Root, known: Map<string, protobuf.Type>): string => {
  if (shape.is === 'type') return reflected(shape.name, root, known).name;
  return shape.is === 'scalar' ? (shape.scalar === 'boolean' ? 'bool' : shape.scalar) : 'bytes';
};
