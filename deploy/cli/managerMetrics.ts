import fs from 'node:fs';
import { request } from 'node:https';
import type { KeyPairFiles } from '../pki.js';

const timeoutMs = 2_000;
/** A manager reports less than a tenth of that. */
const bytesMax = 512 * 1024;

/**
 * Reads a controller manager's metrics of queues and leadership as an administrator; null when it does not answer. The manager's self-signed certificate is
 * not verified: the manager listens on this machine.
 */
export function managerMetrics(address: string, { certFile, keyFile }: KeyPairFiles): Promise<string | null> {
  return new Promise((resolve) => {
    const none = (): void => resolve(null);
    const asked = request(new URL('/metrics', address), {
      cert: fs.readFileSync(certFile),
      key: fs.readFileSync(keyFile),
      rejectUnauthorized: false,
      timeout: timeoutMs,
      agent: false,
    });
    asked.on('timeout', () => asked.destroy(new Error('it does not answer')));
    asked.on('error', none);
    asked.on('response', (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          text += chunk;
          if (text.length > bytesMax) response.destroy();
        })
        .on('end', () => resolve(response.statusCode === 200 ? text : null))
        .on('error', none)
        .on('close', none);
    });
    asked.end();
  });
}
