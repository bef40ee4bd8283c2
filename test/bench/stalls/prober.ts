import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** Child process of the bench of stalls: polls /livez on its own connection and records each latency. */
const [port = '0'] = process.argv.slice(2);
const everyMs = 5;
const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });

export interface Probe {
  readonly beganAtMs: number;
  readonly tookMs: number;
}
let probes: Probe[] = [];

const wall = (): number => performance.timeOrigin + performance.now();

function ask(): Promise<void> {
  return new Promise((resolve) => {
    const request = https.get({ host: '127.0.0.1', port: Number(port), path: '/livez', agent, rejectUnauthorized: false }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    request.on('error', () => {
      resolve();
    });
  });
}

process.on('message', () => {
  process.send?.(probes);
  probes = [];
});
process.on('disconnect', () => process.exit(0));
for (;;) {
  const beganAtMs = wall();
  await ask();
  probes.push({ beganAtMs, tookMs: wall() - beganAtMs });
  await delay(everyMs);
}
