import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ApiService } from './apiServices.js';
import type { ServiceConnections } from './connections.js';

/** What a program answered to the question for a document. */
export type Download =
  | { readonly outcome: 'found'; readonly bytes: Buffer; readonly etag: string | null; readonly hash: string }
  /** It is what it was. */
  | { readonly outcome: 'same' }
  /** The program has no such document. */
  | { readonly outcome: 'absent' }
  /** It is somewhere else. */
  | { readonly outcome: 'moved'; readonly location: string };

export interface DownloadOptions {
  /** With the query. */
  readonly path: string;
  /** Entity tag of what is known, or null. */
  readonly known: string | null;
  readonly bytesMax: number;
  readonly timeoutMs: number;
  /** Ends the download before its time. */
  readonly signal: AbortSignal;
}

/** As whom this server asks for documents: the reference's name (`aggregatorUser` of kube-aggregator). */
const user = 'system:aggregator';

/** Asks a program for a document. Follows nothing. Rejects when there is no answer that means something, or it is too large or too slow. */
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
  // Programs that do not let this server see their documents have none for it.
  if (code === 404 || code === 403 || code === 406) return { outcome: 'absent' };
  if (code === 301 && headers.location !== undefined) return { outcome: 'moved', location: headers.location };
  if (code !== 200) throw new Error(`${path}: the answer has the code ${code}`);
  return { outcome: 'found', etag: headers.etag ?? null, ...(await bodyOf(response, bytesMax)) };
}

/** The body, and its hash, which is made as the bytes come. Rejects for more bytes than these. */
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
