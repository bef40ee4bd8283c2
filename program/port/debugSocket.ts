import fs from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { DebugPages } from '../profiles/pages.js';
import { headersOf } from './processPages.js';

const bodyBytesMax = 1024;

/** Serves the pages on a Unix socket, protected only by file permissions. */
export async function serveDebugSocket(path: string, pages: DebugPages): Promise<{ close(): void }> {
  // A killed process left it.
  if (fs.statSync(path, { throwIfNoEntry: false })?.isSocket() === true) fs.rmSync(path);
  const server = createServer((request, response) => {
    answer(request, response, pages).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new Error(`--debug-socket-path: cannot listen on ${path}`, { cause }));
    });
    server.listen(path, resolve);
  });
  server.on('error', () => {});
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, pages: DebugPages): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort();
  });
  const page = await pages.answer({
    method: request.method ?? '',
    path: url.pathname.replace(/\/+$/, ''),
    query: url.searchParams,
    signal: gone.signal,
    body: () => bodyOf(request),
  });
  if (page === null) {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('404 page not found\n');
    return;
  }
  response.writeHead(page.code, headersOf(page));
  if (page.body instanceof Readable) page.body.pipe(response);
  else response.end(page.body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error('the body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
