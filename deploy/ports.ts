import net from 'node:net';

/**
 * Free ports for programs that keep them across restarts. They are taken from below the range that the kernel hands out to
 * outgoing connections (from 32768 on Linux, 49152 elsewhere): otherwise a connection could sit on the port of a replica that is down.
 */
const firstPort = 15_000;
const lastPort = 31_999;
const attemptsMax = 500;

/** `count` different ports that nothing listens on now, on 127.0.0.1. */
export async function findFreePorts(count: number, random: () => number = Math.random): Promise<number[]> {
  const found = new Set<number>();
  for (let attempt = 0; attempt < attemptsMax && found.size < count; attempt++) {
    const port = firstPort + Math.floor(random() * (lastPort - firstPort + 1));
    if (!found.has(port) && (await portIsFree(port))) found.add(port);
  }
  if (found.size < count)
    throw new Error(`found only ${found.size} of ${count} free ports between ${firstPort} and ${lastPort} on 127.0.0.1`);
  return [...found];
}

/** Whether a listener could be opened; a port without permission counts as not free. */
export function portIsFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
