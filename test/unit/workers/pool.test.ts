import { expect } from 'chai';
import { createWorkers, type Workers } from '../../../workers/pool.js';

describe('workers pool', () => {
  let workers: Workers;
  beforeEach(() => {
    workers = createWorkers({ inlineBytesMax: 1000, threads: 1, queueMax: 2 });
  });
  afterEach(() => workers.close());

  const large = (text = 'x'): Buffer => Buffer.from(JSON.stringify({ text: text.repeat(5000) }));
  const job = (bytes: Buffer) => ({ bytes, encoding: 'json' as const, findDuplicates: true });

  it('answers small bodies at once', () => {
    expect(workers.decode(job(Buffer.from('{"a":1,"a":2}')))).to.deep.equal({ ok: true, value: { a: 2 }, duplicates: ['a'] });
    expect(workers.encode({ value: { a: 1 }, encoding: 'json' })).to.deep.include({ ok: true });
  });

  it('decodes and encodes large ones on a thread, and leaves the bytes to the caller', async () => {
    const bytes = large();
    const result = await workers.decode(job(bytes));
    expect(result).to.deep.equal({ ok: true, value: { text: 'x'.repeat(5000) }, duplicates: [] });
    expect(bytes.length).to.be.greaterThan(5000);
    const encoded = await workers.encode({ value: { text: 'x'.repeat(5000) }, encoding: 'json' }, 5000);
    expect(encoded.ok && Buffer.isBuffer(encoded.bytes) && encoded.bytes.equals(bytes)).to.equal(true);
  });

  it('passes failures and 64-bit integers between threads as values', async () => {
    expect(await workers.decode(job(Buffer.from('{'.padEnd(2000))))).to.deep.equal({ ok: false, message: 'unexpected end of JSON input' });
    expect(await workers.decode(job(Buffer.from('[9223372036854775807]'.padEnd(2000))))).to.deep.equal({
      ok: true,
      value: [9223372036854775807n],
      duplicates: [],
    });
  });

  it('decodes to checked objects on a thread, with the same answer as inline', async () => {
    const request = {
      bytes: Buffer.from(JSON.stringify({ metadata: { name: 'a', generation: 1 }, data: { k: 'v'.repeat(2000) }, odd: 1 })),
      encoding: 'json' as const,
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      findStrict: true,
    };
    const inline = createWorkers();
    expect(await workers.decodeObject(request))
      .to.deep.equal(inline.decodeObject(request))
      .and.to.deep.include({ strict: ['unknown field "odd"'] });
    await inline.close();
  });

  it('refuses what does not fit its queue', async () => {
    const results = await Promise.all(Array.from({ length: 12 }, async () => workers.decode(job(large()))));
    const refused = results.filter((result) => 'refused' in result && result.refused === 'overloaded');
    expect(refused.length).to.be.within(1, 10);
    expect(results.filter((result) => result.ok).length).to.equal(12 - refused.length);
  });

  it('cancels', async () => {
    const controller = new AbortController();
    const waiting = workers.decode(job(large()), controller);
    controller.abort();
    expect(await waiting).to.deep.include({ ok: false, refused: 'cancelled' });
    expect(await workers.decode(job(large()), controller)).to.deep.include({ refused: 'cancelled' });
    expect((await workers.decode(job(large()))).ok).to.equal(true);
  });

  it('is cancelled by closing', async () => {
    const waiting = workers.decode(job(large()));
    await workers.close();
    expect(await waiting).to.deep.include({ refused: 'cancelled' });
    expect(await workers.decode(job(large()))).to.deep.include({ refused: 'cancelled' });
  });

  it('says so when a value cannot be passed on', async () => {
    expect(await workers.encode({ value: { run: () => 1 }, encoding: 'json' }, 5000)).to.deep.include({ ok: false, refused: 'failed' });
  });
});
