import { readFileSync } from 'node:fs';
import { Http2Client } from '../../bench/http2/client.js';
import type { Overloaded } from '../storm.js';
import { plainClient } from './children.js';

/** Keeps many streams of several connections busy with gets and lists, without a pause, as a client without privileges. */
export async function busyStreams(
  { cluster, path }: Overloaded,
  { connections, streams, seconds }: { readonly connections: number; readonly streams: number; readonly seconds: number },
): Promise<{ readonly answered: number; readonly refused: number }> {
  const { certFile, keyFile } = await plainClient(cluster);
  const [ca, cert, key] = [cluster.pki.caFile, certFile, keyFile].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer];
  const ports = cluster.members.filter(({ process: { running } }) => running).map(({ address }) => Number(new URL(address).port));
  const clients = await Promise.all(
    Array.from({ length: connections }, (_, each) =>
      Http2Client.open({ host: '127.0.0.1', port: ports[each % ports.length] as number, ca, cert, key }),
    ),
  );
  const end = performance.now() + seconds * 1000;
  let [answered, refused] = [0, 0];
  await Promise.all(
    clients.flatMap((client) =>
      Array.from({ length: streams }, async (_, each) => {
        while (performance.now() < end) {
          const { status } = await client.get(each % 2 === 0 ? `${path}?limit=5` : `${path}/calm`);
          if (status === 200) answered += 1;
          else refused += 1;
        }
      }),
    ),
  );
  for (const client of clients) client.close();
  return { answered, refused };
}
