import { Agent, request } from 'node:https';
import { tlsClientOptions } from '../../../program/tls/tlsClient.js';
import { dialingAgent, type Dial } from '../../webhook/dialed.js';

/** The connection to an issuer and to sources of claims. */
export interface Way {
  /** Certificate authorities in PEM; null for Node's. */
  readonly certificateAuthority: string | null;
  /** Null for a direct connection. */
  readonly dial: Dial | null;
}

const answerBytesMax = 1024 * 1024;
const answerTimeoutMs = 30_000;

/** Fetches text over https. Rejects other responses than 200, or beyond size and time limits. */
export function fetchDocument(
  url: string,
  { certificateAuthority, dial }: Way,
  { accept = 'application/json', bearer = null }: { readonly accept?: string; readonly bearer?: string | null } = {},
): Promise<string> {
  const tls = tlsClientOptions({ ca: certificateAuthority });
  const agent = dial === null ? new Agent({ keepAlive: false }) : dialingAgent(dial, { secure: true, keepAlive: false, ...tls });
  const headers = { accept, ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, timeout: answerTimeoutMs, headers, ...tls }, (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > answerBytesMax) outgoing.destroy(new Error(`${url} answers with more than ${answerBytesMax} bytes`));
        chunks.push(chunk);
      });
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(Buffer.concat(chunks).toString('utf8'));
        else reject(new Error(`${url} answers ${answer.statusCode}`));
      });
    });
    const limit = setTimeout(() => {
      outgoing.destroy(new Error(`${url} does not answer within ${answerTimeoutMs} ms`));
    }, answerTimeoutMs);
    outgoing.on('close', () => {
      clearTimeout(limit);
      agent.destroy();
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
