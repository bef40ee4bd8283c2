import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { frame, frameTypes, RawHttp2, settingIds } from '../../attacks/wire/http2Frames.js';
import { plainRequest, RawHttp1 } from '../../attacks/wire/http1.js';
import type { TortureMember } from '../cluster/tortureCluster.js';

/** Streams opened on one connection before the protocol error. */
const streamsPerConnection = 100;
const connectionsOfErrors = 2;
const manyConnections = 1_000;
/** Pause after a refused connection. */
const refusedPauseMs = 50;
/** Concurrent handshakes. More would measure the machine. */
const handshakesAtOnce = 50;

interface Wire {
  destroy(): void;
}

const until = async (signal: AbortSignal): Promise<null> => {
  if (!signal.aborted) await once(signal, 'abort');
  return null;
};

/** Returns null if the attack ends first: a stopped member answers no handshake. */
async function openBefore<W extends Wire>(over: Promise<null>, opening: Promise<W>): Promise<W | null> {
  const wire = await Promise.race([opening, over]);
  if (wire === null)
    void opening.then((late) => {
      late.destroy();
    });
  return wire;
}

/**
 * Opens two connections repeatedly, each with many requests and then a forbidden frame, after which Node reports no end of streams. Returns the number of
 * connections.
 */
export async function protocolErrors({ securePort: port }: TortureMember, signal: AbortSignal): Promise<number> {
  const over = until(signal);
  let connections = 0;
  const attack = async (): Promise<void> => {
    while (!signal.aborted) {
      const wire = await openBefore(over, RawHttp2.open({ port }));
      if (wire === null) return;
      // The member is down.
      if (wire.ended) await delay(refusedPauseMs);
      connections++;
      for (let stream = 0; stream < streamsPerConnection; stream++) wire.request('GET', '/version');
      wire.send(frame(frameTypes.data, 0, 0, Buffer.from('x')));
      await Promise.race([wire.until(() => wire.goaway !== null), over]);
      wire.destroy();
    }
  };
  await Promise.all(Array.from({ length: connectionsOfErrors }, attack));
  return connections;
}

/** Opens a thousand connections that keep the server waiting: silent, with half a body, or reading nothing. Returns how many opened. */
export async function thousandConnections({ securePort: port }: TortureMember, signal: AbortSignal): Promise<number> {
  const over = until(signal);
  const wires: Wire[] = [];
  const ways: readonly (() => Promise<Wire>)[] = [
    () => RawHttp2.open({ port, silent: true }),
    async () => {
      const wire = await RawHttp1.open({ port });
      wire.send(plainRequest('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', ['content-length: 1000'], '{"spec":'));
      return wire;
    },
    async () => {
      const wire = await RawHttp2.open({ port, settings: { [settingIds.initialWindowSize]: 0 } });
      for (let stream = 0; stream < streamsPerConnection / 10; stream++) wire.request('GET', '/version');
      return wire;
    },
  ];
  let begun = 0;
  const open = async (): Promise<void> => {
    while (!signal.aborted && begun < manyConnections) {
      const wire = await openBefore(over, ways[begun++ % ways.length]!());
      if (wire !== null) wires.push(wire);
    }
  };
  await Promise.all(Array.from({ length: handshakesAtOnce }, open));
  await over;
  for (const wire of wires) wire.destroy();
  return wires.length;
}
