import { expect } from 'chai';
import { RequestLatency } from '../../../../program/tracing/requestLatency.js';
import { createAuditor, type AuditedRequest } from '../../../../server/audit/auditor.js';
import type { AuditEvent } from '../../../../server/audit/event.js';

describe('audit, latency', () => {
  /** The annotations of the last event of a request that began this long ago. */
  async function annotationsAfter(milliseconds: number): Promise<Readonly<Record<string, string>>> {
    const events: AuditEvent[] = [];
    const auditor = createAuditor({
      extentOf: () => ({ level: 'Metadata', stages: new Set(['ResponseComplete']), omitManagedFields: false }),
      sinks: [
        {
          strict: false,
          process: (event) => Promise.resolve(events.push(event) > 0),
          settle: () => Promise.resolve(true),
          close: () => Promise.resolve(),
        },
      ],
      metrics: { event: () => undefined, rejected: () => undefined },
    });
    const closers: (() => void)[] = [];
    const latency = new RequestLatency();
    latency.add('etcd', 400);
    await auditor.begin({
      request: { url: '/version', headers: {} },
      response: { headersSent: true, statusCode: 200, end: () => undefined },
      method: 'GET',
      info: { isResource: false, path: '/version', verb: 'get' },
      auditId: 'a1',
      user: { name: 'ada', uid: '', groups: [], extra: {} },
      impersonator: null,
      longRunning: false,
      startedAt: performance.now() - milliseconds,
      latency,
      onClose: (action: () => void) => closers.push(action),
      onSwitch: () => undefined,
      switched: false,
    } as unknown as AuditedRequest);
    for (const close of closers) close();
    return events.at(-1)?.annotations ?? {};
  }

  it('says of slow requests where their time went', async () => {
    const annotations = await annotationsAfter(60_000);
    expect(annotations).to.include({ 'apiserver.latency.k8s.io/etcd': '400ms' });
    expect(annotations['apiserver.latency.k8s.io/total']).to.match(/^1m0(\.\d+)?s$/);
  });

  it('says nothing of quick ones', async () => {
    expect(await annotationsAfter(-60_000)).to.deep.equal({});
  });
});
