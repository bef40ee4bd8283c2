import { expect } from 'chai';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCatalogue } from '../../../../../server/kinds/index.js';
import type { ServedResource } from '../../../../../server/registry/resources.js';
import { jsonEncoder } from '../../../../../server/endpoints/encoders/json.js';
import { WatchStream } from '../../../../../server/endpoints/watch/stream.js';
import { plain, type Transport } from '../../../../../server/endpoints/watch/transport.js';

const configMaps = createCatalogue().resource('', 'v1', 'configmaps') as ServedResource;
const secondMs = 1_000;

describe('bookmarks of a watch', () => {
  const written: string[] = [];
  const transport: Transport = {
    write: (bytes, writer) => {
      written.push(bytes.toString());
      writer?.taken();
    },
    whenClosed: () => {},
    end: () => {},
    destroy: () => {},
  };
  const reported = (): unknown[] =>
    written.splice(0).map((line) => (JSON.parse(line) as { object: { metadata: unknown } }).object.metadata);

  before(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  after(() => {
    mock.timers.reset();
  });

  it('come about once a minute, with what has been shown by then, and none before the watch is under way or when nobody asks', async () => {
    const progress = { version: 0, fallBehind: () => {}, stop: () => {} };
    const options = {
      resource: configMaps,
      representation: { encoder: jsonEncoder, form: { form: 'object' } },
      framing: plain,
      resourceVersion: '0',
      initialEventsEnd: false,
      timeoutMs: 600 * secondMs,
    } as const;
    const streams = [true, false].map((bookmarks) => new WatchStream({ ...options, bookmarks }));
    let over = 0;
    for (const stream of streams)
      stream.run(progress, transport, () => {
        over += 1;
      });
    for (const [version, expected] of [
      [0, []],
      [7, [{ resourceVersion: '7' }]],
      [7, [{ resourceVersion: '7' }]],
      [9, [{ resourceVersion: '9' }]],
    ] as const) {
      progress.version = version;
      mock.timers.tick(59 * secondMs);
      await nextTurn();
      expect(reported()).to.deep.equal([]);
      mock.timers.tick(secondMs);
      await nextTurn();
      expect(reported()).to.deep.equal(expected);
    }
    for (const stream of [...streams, ...streams]) stream.stop('Aborted');
    expect(over).to.equal(2);
  });
});
