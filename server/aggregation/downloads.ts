import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ApiService } from './apiServices.js';
import type { ServiceConnections } from './connections.js';

export type Download =
  | { readonly outcome: 'found'; readonly bytes: Buffer; readonly etag: string | null; readonly hash: string }
  | { readonly outcome: 'same' }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'moved'; readonly location: string };

export interface DownloadOptions {
  /** Includes the query. */
  readonly path: string;
  /** The known entity tag, or null. */
  readonly known: string | null;
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The user of these requests (`aggregatorUser` of kube-aggregator). */
const user = 'system:aggregator';

/** Follows no redirects. Rejects a missing, too large or too slow response. */
export async function download(
  connections: ServiceConnections,
  service: ApiService,
  { path, known, bytesMax, timeoutMs, signal }: DownloadOptions,
): Promise<Download> {
  const { response } = await connections.send(service, {
    method: 'GET',
    path,
    headers: { accept: 'application/json', 'x-remote-user': user, ...(known === null ? {} : { 'if-none-match': known }) },
    body: null,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  const { statusCode: code = 0, headers } = response;
  if (code !== 200) response.resume();
  if (code === 304 && known !== null) return { outcome: 'same' };
  // Denied access to documents counts as having none.
  if (code === 404 || code === 403 || code === 406) return { outcome: 'absent' };
  if (code === 301 && headers.location !== undefined) return { outcome: 'moved', location: headers.location };
  if (code !== 200) throw new Error(`${path}: the answer has the code ${code}`);
  return { outcome: 'found', etag: headers.etag ?? null, ...(await bodyOf(response, bytesMax)) };
}

/** Returns the body and its hash, computed while streaming. Rejects beyond the limit. */
async function bodyOf(response: IncomingMessage, bytesMax: number): Promise<{ readonly bytes: Buffer; readonly hash: string }> {
  const chunks: Buffer[] = [];
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new Error(`the answer has more than ${bytesMax} bytes`);
    hash.update(chunk);
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), hash: hash.digest('hex') };
}
