import net from 'node:net';

/** Below the range of ephemeral ports (from 32768 on Linux, 49152 elsewhere), which could take a stopped replica's port. */
const usualRange = { first: 15_000, last: 31_999 };
const attemptsMax = 500;

/** Users of found ports may not listen yet. */
const found = new Set<number>();

/** Returns ports of 127.0.0.1 that no earlier call has found. */
export async function findFreePorts(count: number, random: () => number = Math.random): Promise<number[]> {
  const { first: firstPort, last: lastPort } = portRange();
  if (found.size > (lastPort - firstPort) / 2) found.clear();
  const ports: number[] = [];
  for (let attempt = 0; attempt < attemptsMax && ports.length < count; attempt++) {
    const port = firstPort + Math.floor(random() * (lastPort - firstPort + 1));
    if (found.has(port)) continue;
    found.add(port);
    if (await portIsFree(port)) ports.push(port);
  }
  if (ports.length < count)
    throw new Error(`found only ${ports.length} of ${count} free ports between ${firstPort} and ${lastPort} on 127.0.0.1`);
  return ports;
}

/** `RAFTPLANE_PORT_RANGE=FIRST-LAST` separates programs that start clusters concurrently: ports of stopped replicas seem free to other programs. */
export function portRange(text = process.env['RAFTPLANE_PORT_RANGE']): { readonly first: number; readonly last: number } {
  if (text === undefined || text === '') return usualRange;
  const [, first, last] = /^(\d+)-(\d+)$/.exec(text)?.map(Number) ?? [];
  if (first === undefined || last === undefined || first < 1 || first > last || last > 65_535)
    throw new Error(`RAFTPLANE_PORT_RANGE is FIRST-LAST, such as 15000-19999, and not ${JSON.stringify(text)}`);
  return { first, last };
}

/** A port without permission counts as not free. */
export function portIsFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
