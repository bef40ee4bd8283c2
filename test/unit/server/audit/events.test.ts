import { expect } from 'chai';
import { bodyOfJson, bodyText } from '../../../../server/audit/bodies.js';
import { AuditRecord, type Audited } from '../../../../server/audit/record.js';
import type { Extent } from '../../../../server/audit/rules.js';
import { eventJson, legacyLine } from '../../../../server/audit/serialize.js';
import { truncating } from '../../../../server/audit/truncate.js';
import { stages, type AuditEvent, type Level } from '../../../../server/audit/event.js';
import { MemoryWriter, numbered, sampleEvent } from './sample.js';

const extent = (level: Level, omitManagedFields = false): Extent => ({ level, stages: new Set(stages), omitManagedFields });

function recordOf(level: Level, changes: Partial<Audited> = {}): AuditRecord {
  const audited = {
    request: {
      url: '/api/v1/namespaces/shop/secrets?x=1',
      headers: { 'user-agent': 'test/1', 'x-forwarded-for': '203.0.113.9, bogus', 'x-real-ip': '203.0.113.9' },
      socket: { remoteAddress: '::ffff:10.0.0.1' },
    },
    method: 'POST',
    auditId: 'a1',
    user: { name: 'ada', uid: 'u1', groups: ['dev'], extra: { scope: ['x'] } },
    impersonator: null,
    info: {
      isResource: true,
      path: '',
      verb: 'create',
      group: '',
      version: 'v1',
      namespace: 'shop',
      resource: 'secrets',
      subresource: '',
      name: '',
      rest: [],
    },
    ...changes,
  } as unknown as Audited;
  return new AuditRecord(audited, extent(level), Date.UTC(2026, 0, 2));
}

const secret = { kind: 'Secret', metadata: { name: 'till', uid: 'u2' }, data: { pin: 'MTIzNA==' } };

function filled(level: Level): AuditEvent {
  const record = recordOf(level);
  record.requestBody(secret);
  record.responseBody(() => Buffer.from(JSON.stringify({ ...secret, type: 'Opaque' })));
  return record.event('ResponseComplete', 201, 0);
}

describe('audit, events', () => {
  it('tells who did what from where', () => {
    const { user, sourceIPs, objectRef, verb, requestURI, responseStatus } = filled('Metadata');
    expect({ user, sourceIPs, objectRef, verb, requestURI, responseStatus }).to.deep.equal({
      user: { username: 'ada', uid: 'u1', groups: ['dev'], extra: { scope: ['x'] } },
      sourceIPs: ['203.0.113.9', '10.0.0.1'],
      verb: 'create',
      requestURI: '/api/v1/namespaces/shop/secrets?x=1',
      objectRef: { resource: 'secrets', namespace: 'shop', name: 'till', uid: 'u2', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
    });
  });

  it('keeps bodies out of events below their level', () => {
    expect(eventJson(filled('Metadata'))).to.not.include('MTIzNA');
    const request = filled('Request');
    expect(request.requestObject).to.include('MTIzNA');
    expect(request.responseObject).to.equal(null);
    expect(filled('RequestResponse').responseObject).to.include('Opaque');
  });

  it('never encodes an answer that is not written', () => {
    let encoded = 0;
    recordOf('Request').responseBody(() => {
      encoded++;
      return Buffer.from('{}');
    });
    expect(encoded).to.equal(0);
  });

  it('tells both users where one acts as another', () => {
    const { user, impersonatedUser } = recordOf('Metadata', { impersonator: { name: 'root', uid: '', groups: [], extra: {} } }).event(
      'RequestReceived',
      null,
      0,
    );
    expect([user['username'], impersonatedUser?.['username']]).to.deep.equal(['root', 'ada']);
  });

  it('writes the status of a refusal', () => {
    const record = recordOf('RequestResponse');
    record.refused({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'no', reason: 'Forbidden', code: 403 });
    const event = record.event('ResponseComplete', 403, 0);
    expect(event.responseStatus).to.deep.include({ status: 'Failure', message: 'no', reason: 'Forbidden', code: 403 });
    expect(JSON.parse(event.responseObject ?? '')).to.deep.include({ kind: 'Status', code: 403 });
  });

  it('keeps the first annotation on a matter', () => {
    const record = recordOf('Metadata');
    record.annotate('k', 'first');
    record.annotate('k', 'second');
    expect(record.event('ResponseComplete', 200, 0).annotations).to.deep.equal({ k: 'first' });
  });

  it('keeps what belongs to bodies only where bodies are recorded, and whole', () => {
    const long = 'x'.repeat(20_000);
    for (const [level, kept] of [
      ['Metadata', {}],
      ['Request', { patch: long }],
      ['RequestResponse', { patch: long }],
    ] as const) {
      const record = recordOf(level);
      record.annotate('patch', long, 'Request');
      expect(record.event('ResponseComplete', 200, 0).annotations, level).to.deep.equal(kept);
    }
  });

  it('keeps 64-bit integers in bodies', () => {
    expect(bodyText({ spec: { n: 9_007_199_254_740_993n } }, false)).to.equal('{"spec":{"n":9007199254740993}}');
    expect(bodyOfJson(Buffer.from('{"metadata":{"managedFields":[]},"n":9007199254740993}\n'), true)).to.equal(
      '{"metadata":{},"n":9007199254740993}',
    );
  });

  it('leaves managed fields out of objects and of the items of lists', () => {
    const object = { metadata: { name: 'a', managedFields: [{ manager: 'm' }] } };
    expect(JSON.parse(bodyText({ kind: 'List', items: [object] }, true))).to.deep.equal({
      kind: 'List',
      items: [{ metadata: { name: 'a' } }],
    });
    expect(object.metadata.managedFields).to.have.length(1);
    expect(bodyOfJson(Buffer.from(JSON.stringify(object)), false)).to.include('managedFields');
  });

  it('is one line of JSON with its members in order', () => {
    const line = eventJson(sampleEvent({ requestObject: '{"a":1}', annotations: { k: 'v' } }));
    expect(Object.keys(JSON.parse(line) as object)).to.deep.equal([
      'kind',
      'apiVersion',
      'level',
      'auditID',
      'stage',
      'requestURI',
      'verb',
      'user',
      'sourceIPs',
      'userAgent',
      'objectRef',
      'responseStatus',
      'requestObject',
      'requestReceivedTimestamp',
      'stageTimestamp',
      'annotations',
    ]);
    expect(line).to.not.include('\n');
  });

  it('writes the older form', () => {
    expect(legacyLine(sampleEvent())).to.equal(
      '2026-01-02T03:04:05.678000Z AUDIT: id="a1" stage="ResponseComplete" ip="10.1.2.3" method="get" user="ada" groups="\\"dev\\",\\"ops\\"" as="<self>" asgroups="<lookup>" ' +
        'user-agent="test/1" namespace="shop" uri="/api/v1/namespaces/shop/secrets/till" response="200"',
    );
    expect(legacyLine(sampleEvent({ user: {}, responseStatus: null, sourceIPs: [], objectRef: null }))).to.match(
      /ip="<unknown>" .*user="<none>" groups="<none>" .*namespace="<none>" .*response="<deferred>"/,
    );
  });

  it('takes the bodies from events that are too large, and drops what is too large even so', async () => {
    const lost: number[] = [];
    const writer = new MemoryWriter();
    const seen: AuditEvent[] = [];
    const recording = {
      write: (events: readonly AuditEvent[]) => {
        seen.push(...events);
        return writer.write(events);
      },
      close: () => writer.close(),
    };
    const body = JSON.stringify({ text: 'x'.repeat(2_000) });
    await truncating(recording, { maxEventBytes: 1_500, maxBatchBytes: 10_000 }, (events) => {
      lost.push(events);
    }).write([
      numbered('small'),
      sampleEvent({ auditID: 'cut', requestObject: body, responseObject: body }),
      sampleEvent({ auditID: 'gone', userAgent: 'x'.repeat(2_000) }),
    ]);
    expect(writer.written).to.deep.equal(['small', 'cut']);
    expect(seen[1]).to.deep.include({ requestObject: null, responseObject: null, annotations: { 'audit.k8s.io/truncated': 'true' } });
    expect(lost).to.deep.equal([1]);
  });

  it('splits batches that are too large', async () => {
    const writer = new MemoryWriter();
    const size = Buffer.byteLength(eventJson(numbered('a')));
    await truncating(writer, { maxEventBytes: size, maxBatchBytes: 2 * size }, () => {}).write(
      ['a', 'b', 'c', 'd', 'e'].map((id) => numbered(id)),
    );
    expect(writer.batches).to.deep.equal([['a', 'b'], ['c', 'd'], ['e']]);
  });
});
