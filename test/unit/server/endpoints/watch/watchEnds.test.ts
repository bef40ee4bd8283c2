import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import type { Fields, Logger } from '../../../../../program/log/logger.js';
import { createEndpointMetrics } from '../../../../../server/endpoints/metrics.js';
import { createMetrics } from '../../../../../server/http/metrics.js';
import { watchEnds } from '../../../../../server/storage/watchEnds.js';
import { packageRoot } from '../../../../fixtures/packageRoot.js';
import { call, watchStream } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

/** A log of verbosity 2 with awaitable lines. */
class Lines {
  readonly #lines: Fields[] = [];
  #arrived = (): void => {};
  readonly logger: Logger = {
    error: () => {},
    warn: () => {},
    info: () => {},
    debug: (level, _event, fields) => {
      if (level <= 2) this.#lines.push(fields ?? {});
      this.#arrived();
    },
    enabled: (level) => level <= 2,
    named: () => this.logger,
  };

  async next(): Promise<Fields> {
    while (this.#lines.length === 0)
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
      });
    return this.#lines.shift()!;
  }
}

describe('ends of watches', () => {
  let server: TestServer;
  let lines: Lines;
  let metrics: ReturnType<typeof createMetrics>;
  const shown = async (): Promise<string[]> =>
    (await metrics.registry.metrics()).split('\n').filter((line) => /^raftplane_(watch_ends|expired_lists)_total\{/.test(line));

  beforeEach(async () => {
    metrics = createMetrics();
    lines = new Lines();
    server = await startTestServer(undefined, { endpoints: { counts: createEndpointMetrics(metrics.registry), log: lines.logger } });
  });
  afterEach(() => server.close());

  it('have their reason in the log and in a metric', async () => {
    const expired = await watchStream(server.url, `${configMaps}?watch=1&resourceVersion=1`);
    expect((await expired.next())['object']).to.include({ code: 410, reason: 'Expired', message: 'too old resource version: 1 (1000)' });
    expect(await lines.next()).to.deep.equal({ resource: 'configmaps', user: 'admin', reason: 'Compacted' });
    const closed = await watchStream(server.url, `${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`);
    closed.close();
    expect(await lines.next()).to.include({ reason: 'ClientClosed' });
    await watchStream(server.url, `${configMaps}?watch=1&timeoutSeconds=1`);
    expect(await lines.next()).to.include({ reason: 'TimedOut' });
    expect(await shown()).to.have.members([
      'raftplane_watch_ends_total{reason="Compacted"} 1',
      'raftplane_watch_ends_total{reason="ClientClosed"} 1',
      'raftplane_watch_ends_total{reason="TimedOut"} 1',
    ]);
  });

  it('have companions in lists that are refused for the same reasons', async () => {
    const { status } = await call(server.url, 'GET', `${configMaps}?resourceVersion=1&resourceVersionMatch=Exact`);
    expect(status).to.equal(410);
    expect(await lines.next()).to.deep.equal({ resource: 'configmaps', reason: 'Compacted' });
    expect(await shown()).to.deep.equal(['raftplane_expired_lists_total{reason="Compacted"} 1']);
  });

  it('are all in the table for operators', () => {
    const page = readFileSync(path.join(packageRoot, 'docs/operations.md'), 'utf8');
    for (const [reason, { about }] of Object.entries(watchEnds)) expect(page).to.include(`| \`${reason}\` | ${about} |`);
  });
});
