import { expect } from 'chai';
import { createAuditor, type AuditedRequest } from '../../../../server/audit/auditor.js';
import { stages, type AuditEvent } from '../../../../server/audit/event.js';

/** Returns the stages and statuses of a request whose client leaves, as the response has begun or not. */
async function eventsOf(
  response: { readonly headersSent: boolean; readonly statusCode: number },
  longRunning: boolean,
): Promise<unknown[]> {
  const events: AuditEvent[] = [];
  const auditor = createAuditor({
    extentOf: () => ({ level: 'Metadata', stages: new Set(stages), omitManagedFields: false }),
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
  await auditor.begin({
    request: { url: '/version', headers: {} },
    response: { ...response, end: () => undefined, writeHead: () => undefined },
    method: 'GET',
    info: { isResource: false, path: '/version', verb: 'get' },
    auditId: 'a1',
    user: { name: 'ada', uid: '', groups: [], extra: {} },
    impersonator: null,
    longRunning,
    startedAt: performance.now(),
    onClose: (action: () => void) => closers.push(action),
    onSwitch: () => undefined,
    switched: false,
  } as unknown as AuditedRequest);
  for (const close of closers) close();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  return events.slice(1).map(({ stage, responseStatus }) => [stage, responseStatus]);
}

// WithAudit of endpoints/filters/audit.go.
describe('audit events of clients that leave', () => {
  const early = { metadata: {}, status: 'Success', message: 'Connection closed early', code: 200 };
  it('tell that no response had begun', async () => {
    const silent = { headersSent: false, statusCode: 200 };
    expect(await eventsOf(silent, false)).to.deep.equal([['ResponseComplete', early]]);
    expect(await eventsOf(silent, true)).to.deep.equal([
      ['ResponseStarted', early],
      ['ResponseComplete', early],
    ]);
  });
  it('have the code of a response that had begun', async () => {
    expect(await eventsOf({ headersSent: true, statusCode: 202 }, true)).to.deep.equal([['ResponseComplete', { metadata: {}, code: 202 }]]);
  });
});
