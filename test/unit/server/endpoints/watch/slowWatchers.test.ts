import { expect } from 'chai';
import { createCatalogue } from '../../../../../server/kinds/index.js';
import type { ServedResource } from '../../../../../server/registry/resources.js';
import { jsonEncoder } from '../../../../../server/endpoints/encoders/json.js';
import { WatchStream } from '../../../../../server/endpoints/watch/stream.js';
import { plain, type Transport, type Writer } from '../../../../../server/endpoints/watch/transport.js';
import { encodeStored } from '../../../../../server/storage/encoding.js';
import { createRaftStorage, type RaftStorage, type RaftStorageOptions } from '../../../../../server/storage/raft.js';
import type { Version } from '../../../../../server/storage/contract.js';
import type { WatchEnd } from '../../../../../server/storage/watchEnds.js';
import { FakeReplica } from '../../storage/fakeReplica.js';
import { settle } from '../../storage/recorder.js';
import { configMaps, key, objectFor, watchRequest } from '../../storage/suite.js';

const served = createCatalogue().resource('', 'v1', 'configmaps') as ServedResource;
const objectBytes = 500_000;
/** The limit of a stream's queue, and one object more. */
const waitingBytesMax = 4 * 1024 * 1024 + 2 * objectBytes;
const eol = '\n';

interface Shown {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly message?: string;
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
  };
}

/** A connection whose client accepts a write when the test says so. */
class Client implements Transport {
  text = '';
  ending: 'ended' | 'destroyed' | null = null;
  #untaken: Writer[] = [];
  #closed = (): void => {};

  write(parts: readonly Buffer[], writer: Writer | null): void {
    this.text += parts.map((part) => part.toString()).join('');
    if (writer !== null) this.#untaken.push(writer);
  }

  whenClosed(action: () => void): void {
    this.#closed = action;
  }
  end(last: readonly Buffer[]): void {
    this.write(last, null);
    this.ending ??= 'ended';
  }

  destroy(): void {
    this.ending ??= 'destroyed';
    this.#closed();
  }

  get events(): Shown[] {
    return this.text
      .split(eol)
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Shown);
  }

  /** Accepts writes until none follows. */
  async read(): Promise<void> {
    for (let before = -1; before !== this.text.length || this.#untaken.length > 0; await settle()) {
      before = this.text.length;
      for (const writer of this.#untaken.splice(0)) writer.taken();
    }
  }
}

for (const cached of [true, false])
  describe(`watchers that are behind${cached ? '' : ', of resources that are not cached'}`, () => {
    let replica: FakeReplica;
    let storage: RaftStorage;
    let streams: WatchStream[];
    let over: Promise<WatchEnd>;

    const begin = async (more: Partial<RaftStorageOptions> = {}): Promise<void> => {
      replica = new FakeReplica();
      storage = createRaftStorage({ replica, cached: () => cached, ...more });
      streams = [];
      await storage.ready();
    };
    afterEach(async () => {
      for (const stream of streams) stream.stop('Aborted');
      await over;
      storage.close();
    });

    const put = (name: string): { type: 'put'; key: string; value: Buffer } => {
      const at = key(configMaps, 'one', name);
      return {
        type: 'put',
        key: `/registry/core/configmaps/one/${name}`,
        value: encodeStored(at, objectFor(at, { text: 'x'.repeat(objectBytes) })),
      };
    };
    const names = (from: number, count: number): string[] =>
      Array.from({ length: count }, (_, i) => `n${String(from + i).padStart(3, '0')}`);

    /** A watch; returns a function for the maximum of its queue. */
    function watch(client: Client, after: Version | null, more: { stalledMs?: number } = {}): () => number {
      const stream = new WatchStream({
        resource: served,
        representation: { encoder: jsonEncoder, form: { form: 'object' } },
        framing: plain,
        resourceVersion: String(after ?? 0),
        initialEventsEnd: false,
        bookmarks: false,
        timeoutMs: 600_000,
        ...more,
      });
      let handed = 0;
      let most = 0;
      const event = stream.event.bind(stream);
      stream.event = (shown) => {
        handed += objectBytes;
        most = Math.max(most, handed - client.text.length);
        event(shown);
      };
      const started = storage.watch(
        watchRequest(
          configMaps,
          after === null ? { start: { at: 'any' }, initialEvents: true } : { start: { at: 'after', version: after } },
        ),
        stream,
      );
      streams.push(stream);
      over = new Promise((resolve) => {
        stream.run(started, client, resolve);
      });
      return () => most;
    }

    it('get all of a burst that is larger than may wait, in order, as fast as they read', async () => {
      await begin();
      const client = new Client();
      const most = watch(client, storage.version);
      await settle();
      for (const name of names(0, 40)) replica.apply([put(name)]);
      await settle();
      await client.read();
      for (const name of names(40, 2)) replica.apply([put(name)]);
      await settle();
      await client.read();
      expect(client.events.map(({ object }) => object.metadata.name)).to.deep.equal(names(0, 42));
      expect([client.ending, most() <= waitingBytesMax]).to.deep.equal([null, true]);
    });

    it('get all that happened since the version from which they resume, however large it is', async () => {
      await begin();
      const from = storage.version;
      for (const name of names(0, 40)) replica.apply([put(name)]);
      const client = new Client();
      const most = watch(client, from);
      await settle();
      await client.read();
      expect(client.events.map(({ object }) => object.metadata.name)).to.deep.equal(names(0, 40));
      expect([client.ending, most() <= waitingBytesMax]).to.deep.equal([null, true]);
    });

    it('get a whole state of large objects, and what follows', async () => {
      await begin();
      for (const name of names(0, 40)) replica.apply([put(name)]);
      const client = new Client();
      const most = watch(client, null);
      await settle();
      replica.apply([put('n040')]);
      await client.read();
      expect(client.events.map(({ object }) => object.metadata.name)).to.deep.equal(names(0, 41));
      expect([client.ending, most() <= waitingBytesMax]).to.deep.equal([null, true]);
    });

    it('see versions of several changes whole, and each change once', async () => {
      await begin();
      const client = new Client();
      watch(client, storage.version);
      await settle();
      for (let i = 0; i < 40; i += 4) replica.apply(names(i, 4).map(put));
      await settle();
      await client.read();
      expect(client.events.map(({ object }) => object.metadata.name)).to.deep.equal(names(0, 40));
    });

    it('end in order, with an error of 410, when what they lack is not kept any more', async () => {
      await begin({ history: { changesMax: 5 } });
      const client = new Client();
      watch(client, storage.version);
      await settle();
      for (const name of names(0, 40)) replica.apply([put(name)]);
      await replica.compact(replica.revision);
      await settle();
      await client.read();
      const last = client.events.at(-1);
      expect([last?.type, last?.object.code, client.ending]).to.deep.equal(['ERROR', 410, 'ended']);
      expect(await over).to.equal('ClientTooSlow');
      expect(last?.object.message).to.match(
        /^too old resource version: .*: the client took events more slowly than the server forgot them$/,
      );
      const shown = client.events.slice(0, -1).map(({ object }) => object.metadata.name);
      expect(shown, 'nothing is left out before the end').to.deep.equal(names(0, shown.length)).and.not.to.be.empty;
    });

    it('are cut off when they take nothing for as long as a client is waited for', async () => {
      await begin();
      const client = new Client();
      watch(client, storage.version, { stalledMs: 20 });
      await settle();
      for (const name of names(0, 40)) replica.apply([put(name)]);
      expect([await over, client.ending]).to.deep.equal(['ClientStalled', 'destroyed']);
    });
  });
