import { expect } from 'chai';
import fc from 'fast-check';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { activeTrace } from '../../../../program/tracing/activeTrace.js';
import { readTracingConfiguration } from '../../../../program/tracing/configuration.js';
import { contextHeaders, isSampled, newTraceId, parseContext } from '../../../../program/tracing/context.js';
import { OtlpExporter } from '../../../../program/tracing/otlp.js';
import { Tracer, type Span } from '../../../../program/tracing/tracer.js';
import { clientFor } from '../../../../server/webhook/client.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { TraceCollector } from '../../../fixtures/traceCollector.js';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities } from '../../../fixtures/identities.js';
import https from 'node:https';

const hexText = (digits: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits }).filter((text) => !/^0+$/.test(text));

describe('trace contexts', () => {
  it('are read as they are written', () => {
    fc.assert(
      fc.property(hexText(32), hexText(16), fc.boolean(), fc.constantFrom('', 'vendor=1'), (traceId, spanId, sampled, state) => {
        const context = { traceId, spanId, sampled, state };
        const headers = contextHeaders(context);
        expect(parseContext(headers['traceparent'], headers['tracestate'])).to.deep.equal(context);
      }),
    );
  });
  it('that are none begin a trace anew', () => {
    const good = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect(parseContext(good, undefined)).to.not.equal(null);
    for (const wrong of [
      '',
      good.slice(1),
      `${good}-x`,
      good.replace('00-', 'ff-'),
      good.replace(/a/g, '0'),
      good.replace(/b/g, '0'),
      good.toUpperCase(),
    ])
      expect(parseContext(wrong, undefined), wrong).to.equal(null);
    expect(parseContext(`01${good.slice(2)}-later`, undefined)).to.not.equal(null);
  });
  it('are sampled at the rate, the same by everybody, and more by those who want more', () => {
    const ids = Array.from({ length: 4_000 }, newTraceId);
    expect(ids.filter((id) => isSampled(id, 0))).to.deep.equal([]);
    expect(ids.filter((id) => isSampled(id, 1_000_000))).to.deep.equal(ids);
    const share = ids.filter((id) => isSampled(id, 250_000)).length / ids.length;
    expect(share).to.be.within(0.2, 0.3);
    expect(ids.filter((id) => isSampled(id, 100_000) && !isSampled(id, 250_000))).to.deep.equal([]);
  });
});

describe('--tracing-config-file', () => {
  const file = (value: object): string => {
    const name = path.join(temporaryDirectory('tracing'), 'tracing.json');
    fs.writeFileSync(name, JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'TracingConfiguration', ...value }));
    return name;
  };
  it('names the collector and the rate, and is refused with what is wrong', () => {
    expect(readTracingConfiguration(file({}))).to.deep.equal({ endpoint: 'localhost:4317', ratePerMillion: 0 });
    expect(readTracingConfiguration(file({ endpoint: 'c:1', samplingRatePerMillion: 5 }))).to.deep.equal({
      endpoint: 'c:1',
      ratePerMillion: 5,
    });
    expect(() => readTracingConfiguration(file({ samplingRatePerMillion: 2_000_000 }))).to.throw(/from 0 to 1000000, not 2000000/);
    expect(() => readTracingConfiguration(file({ endpoint: 'http://c:1' }))).to.throw(/endpoint must be an address/);
    expect(() => readTracingConfiguration(file({ sampling: 1 }))).to.throw(/sampling is unknown/);
    expect(() => readTracingConfiguration('/nowhere')).to.throw(/--tracing-config-file: \/nowhere/);
  });
});

describe('tracing', () => {
  let collector: TraceCollector;
  let exporter: OtlpExporter;
  let hook: http.Server;
  let hookHeaders: http.IncomingHttpHeaders = {};
  let front: FrontDoor;
  let ask: (headers: http.OutgoingHttpHeaders) => Promise<number>;
  before(async () => {
    collector = new TraceCollector();
    exporter = new OtlpExporter({ endpoint: await collector.start(), service: { 'service.name': 'apiserver' }, report: () => {} });
    hook = http.createServer((request, response) => {
      hookHeaders = request.headers;
      response.end('{}');
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    const client = clientFor({ server: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/review` });
    const identities = await createIdentities();
    const admin = await identities.issue({ name: 'admin', groups: ['system:masters'], usage: 'clientAuth' });
    front = await openFrontDoor({
      identities,
      server: await identities.issue({ name: 'localhost', usage: 'serverAuth' }),
      resources: async ({ response }) => {
        await client.post('{}', { timeoutMs: 10_000 });
        response.end('{}');
      },
      chain: {
        tracer: new Tracer({
          ratePerMillion: 0,
          now: () => performance.timeOrigin + performance.now(),
          export: (span: Span) => {
            exporter.add(span);
          },
        }),
      },
    });
    ask = (headers) =>
      new Promise((resolve, reject) => {
        https
          .get(
            {
              host: '127.0.0.1',
              port: front.port,
              path: '/api/v1/pods/x',
              servername: 'localhost',
              ca: identities.ca,
              cert: admin.cert,
              key: admin.key,
              headers,
              agent: false,
            },
            (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
          )
          .on('error', reject);
      });
  });
  after(async () => {
    await front.listener.close();
    await exporter.stop();
    collector.stop();
    hook.close();
  });

  it('goes on with the trace of a client, and hands it on to webhooks', async () => {
    const traceId = 'c0ffee'.padEnd(32, '1');
    await ask({ traceparent: `00-${traceId}-${'2'.repeat(16)}-01`, tracestate: 'v=1' });
    const server = await collector.find((span) => span.kind === 2 && span.traceId === traceId);
    const child = await collector.find((span) => span.kind === 3 && span.traceId === traceId);
    expect(server).to.deep.include({ parentSpanId: '2'.repeat(16), name: 'KubernetesAPI' });
    expect(server.attributes).to.include({ 'http.method': 'GET', 'http.target': '/api/v1/pods/x', 'http.status_code': 200 });
    expect(child.parentSpanId).to.equal(server.spanId);
    expect(hookHeaders).to.include({ traceparent: `00-${traceId}-${child.spanId}-01`, tracestate: 'v=1' });
  });

  it('hands on, and does not send, what nobody wants to keep', async () => {
    const before = collector.spans.length;
    const traceId = 'decaf'.padEnd(32, '1');
    await ask({ traceparent: `00-${traceId}-${'2'.repeat(16)}-00` });
    await exporter.flush();
    expect(hookHeaders['traceparent']).to.match(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    await ask({});
    await exporter.flush();
    expect(hookHeaders['traceparent']).to.match(/-00$/).and.not.contain(traceId);
    expect(collector.spans.length).to.equal(before);
    expect(activeTrace.getStore()).to.equal(undefined);
  });
});
