import { expect } from 'chai';
import fc from 'fast-check';
import { Batch } from '../../../../../server/endpoints/watch/batch.js';
import { unbounded, type Sender } from '../../../../../program/port/connections/sender.js';
import { Flusher, FlushQueue } from '../../../../../server/endpoints/watch/flusher.js';

describe('endpoints/watch/batch', () => {
  const frames = Array.from({ length: 6 }, (_, n) => Buffer.from(`<${String(n).repeat(n + 1)}>`));
  const batchOf = (indexes: readonly number[]): Batch => {
    const [first = 0, ...rest] = indexes;
    return rest.reduce((batch, index) => batch.followedBy(frames[index] as Buffer), Batch.of(frames[first] as Buffer));
  };

  it('joins frames in their order, once for all who have the same', () => {
    const sequence = fc.array(fc.nat({ max: frames.length - 1 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(sequence, { minLength: 1, maxLength: 10 }), (sequences) => {
        const batches = sequences.map(batchOf);
        const seen = new Map<string, Buffer>();
        for (const [which, batch] of batches.entries()) {
          const expected = Buffer.concat((sequences[which] ?? []).map((index) => frames[index] as Buffer));
          expect(batch.joined.equals(expected)).to.equal(true);
          expect(batch.bytes).to.equal(expected.length);
          const key = JSON.stringify(sequences[which]);
          expect(seen.get(key) ?? batch.joined).to.equal(batch.joined);
          seen.set(key, batch.joined);
        }
      }),
    );
  });

  it('stays small enough to be copied for a connection', () => {
    const frame = Buffer.alloc(3_000);
    let batch = Batch.of(frame);
    while (batch.hasRoomFor(frame)) batch = batch.followedBy(frame);
    expect(batch.bytes)
      .to.be.at.most(Batch.bytesMax)
      .and.above(Batch.bytesMax - frame.length);
    expect(Batch.of(Buffer.alloc(100_000)).bytes, 'a large frame stands alone').to.equal(100_000);
  });
});

describe('endpoints/watch/flusher', () => {
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(resolve);
    });

  it('flushes each once, in order, and lets the event loop go on in between', async () => {
    const flusher = new Flusher();
    const order: number[] = [];
    const busy = (ms: number): void => {
      for (const end = performance.now() + ms; performance.now() < end;);
    };
    for (let n = 0; n < 200; n++)
      flusher.add({
        flush: () => {
          order.push(n);
          busy(0.2);
        },
      });
    expect(order).to.deep.equal([]);
    await turn();
    expect(order.length).to.be.within(1, 199);
    flusher.add({
      flush: () => {
        order.push(200);
      },
    });
    while (order.length < 201) await turn();
    expect(order).to.deep.equal(Array.from({ length: 201 }, (_, n) => n));
  });

  it('serves those of one queue together, some at a time, and the queues in turn', async () => {
    const flusher = new Flusher();
    const queues = [new FlushQueue(), new FlushQueue()] as const;
    const order: string[] = [];
    const counts = [300, 40];
    for (let n = 0; n < Math.max(...counts); n++)
      for (const [which, queue] of queues.entries())
        if (n < (counts[which] ?? 0)) flusher.add({ flush: () => order.push(`${which}.${n}`) }, queue);
    while (order.length < 340) await turn();
    const of = (which: number, from: number, to: number): string[] => Array.from({ length: to - from }, (_, n) => `${which}.${from + n}`);
    expect(order).to.deep.equal([...of(0, 0, 128), ...of(1, 0, 40), ...of(0, 128, 256), ...of(0, 256, 300)]);
  });

  it('lets who comes back while its queue is served wait for the others', async () => {
    const flusher = new Flusher();
    const queues = [new FlushQueue(), new FlushQueue()] as const;
    const order: string[] = [];
    let again = 3;
    const eager = {
      flush: () => {
        order.push('eager');
        if (again-- > 0) flusher.add(eager, queues[0]);
      },
    };
    flusher.add(eager, queues[0]);
    flusher.add({ flush: () => order.push('other') }, queues[1]);
    while (order.length < 5) await turn();
    expect(order).to.deep.equal(['eager', 'other', 'eager', 'eager', 'eager']);
  });

  it('has a queue wait while its connection has no room, and goes on where it was', async () => {
    const senders: Sender[] = [];
    const buffer = { ...unbounded, pieceBytes: 1, whenRoom: (sender: Sender) => senders.push(sender) };
    const flusher = new Flusher();
    const queues = [new FlushQueue(buffer), new FlushQueue()] as const;
    const order: string[] = [];
    for (const name of ['a', 'b', 'c'])
      flusher.add(
        {
          flush: () => {
            order.push(name);
            buffer.pieceBytes = name === 'a' ? 0 : 1;
          },
        },
        queues[0],
      );
    flusher.add({ flush: () => order.push('other') }, queues[1]);
    while (senders.length === 0 || order.length < 2) await turn();
    expect(order).to.deep.equal(['a', 'other']);
    buffer.pieceBytes = 1;
    for (const sender of senders.splice(0)) sender.sendMore();
    while (order.length < 4) await turn();
    expect(order).to.deep.equal(['a', 'other', 'b', 'c']);
  });
});
