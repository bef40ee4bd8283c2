import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { logWriter, serviceWriter, sinkFor } from '../../../../server/assembly/auditing.js';
import type { Sink } from '../../../../server/audit/contract.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import type { ApiServerOptions } from '../../../../server/options/flags.js';
import { startHookService, written } from '../../../fixtures/hookService.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { MemoryWriter, numbered, sampleEvent } from '../audit/sample.js';
import { recordingLogger } from '../../../fixtures/frontDoor.js';
import { createIdentities } from '../../../fixtures/identities.js';

const optionsOf = (...argv: string[]): ApiServerOptions => {
  const read = readApiServerOptions(argv);
  if (!read.ok) throw new Error(read.errors.join('\n'));
  return read.options;
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = '1h';

/** One backend's options by subject; both backends have the same. */
const log = {
  mode: '--audit-log-mode',
  bufferSize: '--audit-log-batch-buffer-size',
  maxSize: '--audit-log-batch-max-size',
  maxWait: '--audit-log-batch-max-wait',
  throttle: '--audit-log-batch-throttle-enable',
  qps: '--audit-log-batch-throttle-qps',
  burst: '--audit-log-batch-throttle-burst',
};
const webhook: typeof log = {
  mode: '--audit-webhook-mode',
  bufferSize: '--audit-webhook-batch-buffer-size',
  maxSize: '--audit-webhook-batch-max-size',
  maxWait: '--audit-webhook-batch-max-wait',
  throttle: '--audit-webhook-batch-throttle-enable',
  qps: '--audit-webhook-batch-throttle-qps',
  burst: '--audit-webhook-batch-throttle-burst',
};

for (const [backend, names] of [
  ['log', log],
  ['webhook', webhook],
] as const)
  describe(`options of the audit ${backend}`, () => {
    let writer: MemoryWriter;
    let lost: number;
    beforeEach(() => {
      writer = new MemoryWriter();
      lost = 0;
    });
    const sink = (options: Partial<Record<keyof typeof log, string>>): Sink =>
      sinkFor(
        backend,
        writer,
        optionsOf(
          ...Object.entries({ mode: 'batch', throttle: 'false', ...options }).map(
            ([name, value]) => `${names[name as keyof typeof log]}=${value}`,
          ),
        ),
        (events) => {
          lost += events;
        },
      );
    const arrived = async (count: number): Promise<void> => {
      while (writer.written.length < count) await turn();
    };

    it('the mode: requests wait for what is written, or do not', async () => {
      writer.hold();
      await sink({ mode: 'batch' }).process(numbered('a'));
      const blocking = sink({ mode: 'blocking' }).process(numbered('b'));
      writer.release();
      expect(await blocking).to.equal(true);
      expect(writer.written).to.include('b');
      expect(sink({ mode: 'blocking-strict' }).strict).to.equal(true);
    });

    it('batches: how many events wait, how many go together, and for how long they are collected', async () => {
      const small = sink({ bufferSize: '1', maxSize: '1', maxWait: never });
      writer.hold();
      await Promise.all(['taken', 'waits', 'lost'].map((id) => small.process(numbered(id))));
      expect(lost).to.be.above(0);
      writer.release();
      writer = new MemoryWriter();
      const pairs = sink({ maxSize: '2', maxWait: never });
      await pairs.process(numbered('a'));
      await turn();
      expect(writer.batches).to.deep.equal([]);
      await pairs.process(numbered('b'));
      await arrived(2);
      expect(writer.batches).to.deep.equal([['a', 'b']]);
      await sink({ maxSize: '100', maxWait: '1ms' }).process(numbered('c'));
      await arrived(3);
    });

    it('the throttle: batches in a second, and at once after a quiet time', async () => {
      const slow = sink({ throttle: 'true', qps: '0.001', burst: '2', maxSize: '1', maxWait: never });
      for (const id of ['a', 'b', 'c']) await slow.process(numbered(id));
      await arrived(2);
      for (let index = 0; index < 20; index++) await turn();
      expect(writer.written).to.deep.equal(['a', 'b']);
      const quick = sink({ throttle: 'true', qps: '1000', burst: '1', maxSize: '1', maxWait: never });
      for (const id of ['d', 'e']) await quick.process(numbered(id));
      await arrived(4);
      const free = sink({ throttle: 'false', qps: '0.001', burst: '1', maxSize: '1', maxWait: never });
      for (const id of ['f', 'g']) await free.process(numbered(id));
      await arrived(6);
    });
  });

describe('options of the audit log file', () => {
  const filled = async (...argv: string[]): Promise<{ readonly files: readonly string[]; readonly folder: string }> => {
    const folder = temporaryDirectory('audit');
    fs.writeFileSync(path.join(folder, 'audit-2001-01-01T00-00-00.000.log'), 'old\n');
    const writer = await logWriter(path.join(folder, 'audit.log'), optionsOf('--audit-log-maxsize=1', ...argv), recordingLogger([]));
    const large = sampleEvent({ requestURI: `/${'x'.repeat(700_000)}` });
    for (let index = 0; index < 4; index++) await writer.write([large]);
    await writer.close();
    return { folder, files: fs.readdirSync(folder).sort() };
  };

  it('its size: a full one makes room', async () => {
    const { files } = await filled();
    expect(files).to.have.length(5);
    expect(files).to.include('audit-2001-01-01T00-00-00.000.log');
  });
  it('how many old ones stay, and for how long', async () => {
    expect((await filled('--audit-log-maxbackup=1')).files).to.have.length(2);
    const { files } = await filled('--audit-log-maxage=1');
    expect(files).to.not.include('audit-2001-01-01T00-00-00.000.log');
    expect(files).to.have.length(4);
  });
  it('whether old ones are compressed', async () => {
    const { files, folder } = await filled('--audit-log-compress', '--audit-log-maxage=1');
    const old = files.filter((name) => name.endsWith('.gz'));
    expect(old).to.have.length(3);
    expect(gunzipSync(fs.readFileSync(path.join(folder, old[0]!))).toString()).to.contain('"auditID":"a1"');
  });
  it('its form', async () => {
    const { folder } = await filled('--audit-log-format=legacy');
    expect(fs.readFileSync(path.join(folder, 'audit.log'), 'utf8')).to.contain('AUDIT: id="a1"');
  });
});

describe('options of the audit service', () => {
  it('where it is, and how long to wait before it is asked again', async () => {
    const identities = await createIdentities();
    const service = await startHookService(identities);
    const file = path.join(temporaryDirectory('audit'), 'service.yaml');
    const cluster = { server: service.url, 'certificate-authority-data': service.caBundle };
    fs.writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: {} }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    );
    let refusals = 2;
    service.reply = () => written((response) => response.writeHead(refusals-- > 0 ? 500 : 200).end('{}'));
    const options = optionsOf(`--audit-webhook-config-file=${file}`, '--audit-webhook-initial-backoff=1ms');
    const writer = serviceWriter(options['audit-webhook-config-file']!, options);
    await writer.write([numbered('a')]);
    await writer.close();
    service.close();
    expect(service.reviews.map(({ kind }) => kind)).to.deep.equal(['EventList', 'EventList', 'EventList']);
  });
});
