import type { Writer } from '../../../../server/audit/contract.js';
import type { AuditEvent, Stage } from '../../../../server/audit/event.js';

/** An ordinary event. */
export const sampleEvent = (changes: Partial<AuditEvent> = {}): AuditEvent => ({
  level: 'Metadata',
  auditID: 'a1',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/shop/secrets/till',
  verb: 'get',
  user: { username: 'ada', groups: ['dev', 'ops'] },
  impersonatedUser: null,
  authenticationMetadata: null,
  sourceIPs: ['10.1.2.3'],
  userAgent: 'test/1',
  objectRef: { resource: 'secrets', namespace: 'shop', name: 'till', apiVersion: 'v1' },
  responseStatus: { metadata: {}, code: 200 },
  requestObject: null,
  responseObject: null,
  requestReceivedTimestamp: '2026-01-02T03:04:05.678000Z',
  stageTimestamp: '2026-01-02T03:04:05.679000Z',
  annotations: {},
  ...changes,
});

export const numbered = (id: string, stage: Stage = 'ResponseComplete'): AuditEvent => sampleEvent({ auditID: id, stage });

/** Records batches. `broken` makes it fail; `hold` makes it wait for `release`. */
export class MemoryWriter implements Writer {
  readonly batches: string[][] = [];
  broken: Error | null = null;
  closed = false;
  #gate: { readonly open: () => void; readonly opened: Promise<void> } | null = null;

  get written(): string[] {
    return this.batches.flat();
  }

  hold(): void {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#gate = { open, opened };
  }

  release(): void {
    this.#gate?.open();
    this.#gate = null;
  }

  async write(events: readonly AuditEvent[]): Promise<void> {
    await this.#gate?.opened;
    if (this.broken !== null) throw this.broken;
    this.batches.push(events.map(({ auditID }) => auditID));
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}
