import https from 'node:https';
import fs from 'node:fs';
import path from 'node:path';
import type { LauncherState } from './launcher.js';

const answerTimeoutMs = 2_000;

/** Returns the leader reported at the cluster's address; null without a timely answer. */
export function probeLeader({ address, dataDirectory }: LauncherState): Promise<string | null> {
  const read = (name: string): Buffer => fs.readFileSync(path.join(dataDirectory, 'pki', name));
  return new Promise((resolve) => {
    const request = https.get(
      new URL('/raft/v1/status', address),
      {
        ca: read('ca.crt'),
        cert: read('admin.crt'),
        key: read('admin.key'),
        agent: false,
        signal: AbortSignal.timeout(answerTimeoutMs),
      },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            text += chunk;
          })
          .on('error', () => resolve(null))
          .on('end', () => {
            try {
              resolve((JSON.parse(text) as { readonly leaderId?: string | null }).leaderId ?? null);
            } catch {
              resolve(null);
            }
          });
      },
    );
    request.on('error', () => resolve(null));
  });
}
