import { expect } from 'chai';
import { BatchSink } from '../../../../server/audit/batchSink.js';
import { BlockingSink } from '../../../../server/audit/blockingSink.js';
import { MemoryWriter, numbered } from './sample.js';

const nothing = { lost: (): void => {} };

describe('audit, blocking sink', () => {
  it('writes together what waits together, in order', async () => {
    const writer = new MemoryWriter();
    const sink = new BlockingSink(writer, { strict: false, ...nothing });
    writer.hold();
    const all = ['a', 'b', 'c'].map((id) => sink.process(numbered(id)));
    writer.release();
    expect(await Promise.all(all)).to.deep.equal([true, true, true]);
    expect(writer.written).to.deep.equal(['a', 'b', 'c']);
    expect(writer.batches.length).to.be.lessThan(3);
  });

  it('resolves only when the event is written', async () => {
    const writer = new MemoryWriter();
    const sink = new BlockingSink(writer, { strict: false, ...nothing });
    writer.hold();
    let done = false;
    const processed = sink.process(numbered('a')).then(() => {
      done = true;
    });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(done).to.equal(false);
    writer.release();
    await processed;
  });

  it('loses and reports what cannot be written, unless it is strict', async () => {
    const writer = new MemoryWriter();
    const lost: number[] = [];
    const sink = new BlockingSink(writer, {
      strict: false,
      lost: (events) => {
        lost.push(events);
      },
    });
    writer.broken = new Error('disk full');
    expect(await sink.process(numbered('a'))).to.equal(false);
    writer.broken = null;
    expect(await sink.process(numbered('b'))).to.equal(true);
    expect(writer.written).to.deep.equal(['b']);
    expect(lost).to.deep.equal([1]);
  });

  it('strict: keeps the events of requests under way until they can be written, before any later one', async () => {
    const writer = new MemoryWriter();
    const lost: number[] = [];
    const sink = new BlockingSink(writer, {
      strict: true,
      lost: (events) => {
        lost.push(events);
      },
    });
    writer.broken = new Error('disk full');
    expect(await sink.process(numbered('arrived', 'RequestReceived'))).to.equal(false);
    expect(await sink.process(numbered('done'))).to.equal(false);
    expect(await sink.settle()).to.equal(false);
    writer.broken = null;
    expect(await sink.process(numbered('next', 'RequestReceived'))).to.equal(true);
    expect(await sink.settle()).to.equal(true);
    // The request that had only arrived was refused, so its event need not be written.
    expect(writer.written).to.deep.equal(['done', 'next']);
    expect(lost).to.deep.equal([]);
  });

  it('strict: writes what it owes when it closes', async () => {
    const writer = new MemoryWriter();
    const sink = new BlockingSink(writer, { strict: true, ...nothing });
    writer.broken = new Error('disk full');
    await sink.process(numbered('done'));
    writer.broken = null;
    await sink.close();
    expect(writer.written).to.deep.equal(['done']);
    expect(writer.closed).to.equal(true);
  });
});

describe('audit, batch sink', () => {
  const options = { bufferSize: 100, maxSize: 3, maxWaitMs: 60_000, throttle: null, ...nothing };

  it('lets no request wait, and writes full batches', async () => {
    const writer = new MemoryWriter();
    const sink = new BatchSink(writer, options);
    for (const id of ['a', 'b', 'c', 'd']) expect(await sink.process(numbered(id))).to.equal(true);
    await sink.close();
    expect(writer.batches).to.deep.equal([['a', 'b', 'c'], ['d']]);
    expect(writer.closed).to.equal(true);
  });

  it('writes a batch that is not full when its time is over', async () => {
    const writer = new MemoryWriter();
    const written = new Promise<void>((resolve) => {
      const write = writer.write.bind(writer);
      writer.write = async (events) => {
        await write(events);
        resolve();
      };
    });
    const sink = new BatchSink(writer, { ...options, maxWaitMs: 5 });
    await sink.process(numbered('a'));
    await written;
    expect(writer.batches).to.deep.equal([['a']]);
    await sink.close();
  });

  it('loses and reports what finds no room', async () => {
    const writer = new MemoryWriter();
    const lost: number[] = [];
    const sink = new BatchSink(writer, {
      ...options,
      bufferSize: 2,
      lost: (events) => {
        lost.push(events);
      },
    });
    for (const id of ['a', 'b', 'c']) await sink.process(numbered(id));
    await sink.close();
    expect(writer.written).to.deep.equal(['a', 'b']);
    expect(lost).to.deep.equal([1]);
  });

  it('goes on after a batch that was refused', async () => {
    const writer = new MemoryWriter();
    const lost: number[] = [];
    let refused = (): void => {};
    const failed = new Promise<void>((resolve) => {
      refused = resolve;
    });
    writer.broken = new Error('no service');
    const sink = new BatchSink(writer, {
      ...options,
      maxSize: 1,
      lost: (events) => {
        lost.push(events);
        writer.broken = null;
        refused();
      },
    });
    await sink.process(numbered('a'));
    await failed;
    await sink.process(numbered('b'));
    await sink.close();
    expect(writer.written).to.deep.equal(['b']);
    expect(lost).to.deep.equal([1]);
  });
});
