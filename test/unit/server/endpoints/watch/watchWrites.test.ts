import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCatalogue } from '../../../../../server/kinds/index.js';
import type { ServedResource } from '../../../../../server/registry/resources.js';
import { jsonEncoder } from '../../../../../server/endpoints/encoders/json.js';
import { WatchStream } from '../../../../../server/endpoints/watch/stream.js';
import { plain, type Transport, type Writer } from '../../../../../server/endpoints/watch/transport.js';
import type { WatchEvent } from '../../../../../server/storage/contract.js';

const configMaps = createCatalogue().resource('', 'v1', 'configmaps') as ServedResource;
/** The limit of small writes without acknowledgement. */
const unaskedBytesMax = 4 * 1024;
const writeBytesMax = 8 * 1024;

const eventOf = (text: string): WatchEvent => ({ frame: () => Buffer.from(text) }) as unknown as WatchEvent;

describe('writes of a watch', () => {
  interface Write {
    readonly bytes: number;
    readonly writer: Writer | null;
  }
  let written: Write[];
  let ended: string | null;
  let stream: WatchStream;

  beforeEach(() => {
    written = [];
    ended = null;
    const transport: Transport = {
      write: (parts, writer) => {
        written.push({ bytes: parts.reduce((sum, { length }) => sum + length, 0), writer });
      },
      whenClosed: () => {},
      end: (last) => {
        ended = Buffer.concat([...last]).toString();
      },
      destroy: () => {},
    };
    stream = new WatchStream({
      resource: configMaps,
      representation: { encoder: jsonEncoder, form: { form: 'object' } },
      framing: plain,
      resourceVersion: '0',
      initialEventsEnd: false,
      bookmarks: false,
      timeoutMs: 600_000,
    });
    stream.run({ version: 0, fallBehind: () => {}, stop: () => {} }, transport, () => {});
  });
  afterEach(() => {
    stream.stop('Aborted');
  });

  const send = async (bytes: number): Promise<void> => {
    stream.event(eventOf('x'.repeat(bytes)));
    await nextTurn();
  };

  it('ask whether they have been taken once so much is under way, and are not followed by others before', async () => {
    for (let sent = 0; sent < 4; sent++) await send(1_100);
    expect(written.map(({ writer }) => writer !== null)).to.deep.equal([false, false, false, true]);
    for (let sent = 0; sent < 20; sent++) await send(1_100);
    expect(written).to.have.length(4);
    written[3]?.writer?.taken();
    await nextTurn();
    // All events meanwhile are one write with acknowledgement.
    expect(written.slice(4).map(({ bytes, writer }) => [bytes, writer !== null])).to.deep.equal([[22_000, true]]);
    written[4]?.writer?.taken();
    await send(100);
    expect(written[5]?.writer).to.equal(null);
  });

  it('leave no more under way than that and one write while a client takes nothing', async () => {
    for (let sent = 0; sent < 1_000; sent++) await send(500);
    expect(written.reduce((sum, { bytes }) => sum + bytes, 0)).to.be.at.most(unaskedBytesMax + writeBytesMax);
  });

  it('ask however small they are while storage waits for room', async () => {
    for (let sent = 0; sent < 5; sent++) stream.event(eventOf('x'.repeat(60_000)));
    let drained = false;
    void stream.drained()?.then(() => {
      drained = true;
    });
    for (let each = 0; !drained; each++) {
      await nextTurn();
      expect(each, 'writes and turns').to.be.below(50);
      written[each]?.writer?.taken();
    }
    expect(written.reduce((sum, { bytes }) => sum + bytes, 0)).to.equal(300_000);
  });

  it('end with what has not been written yet', async () => {
    await send(5_000);
    for (const text of ['a', 'b']) stream.event(eventOf(text));
    await nextTurn();
    stream.stop('Aborted');
    expect([written.length, ended]).to.deep.equal([1, 'ab']);
  });
});
