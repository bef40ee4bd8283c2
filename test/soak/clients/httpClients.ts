import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import path from 'node:path';
import readline from 'node:readline';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { configMapOf, patchBody, storedOf, userLabel } from './ordinaryClient.js';
import type { ClientPlace, OrdinaryClient, PatchKind, Reply } from './ordinaryClient.js';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}
interface Received {
  readonly status: number;
  readonly body: string;
}
interface Wire {
  send(request: Sent): Promise<Received>;
  close(): void;
}

const patchTypes: Readonly<Record<PatchKind, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

/** A client of the REST API over one connection. */
function restClient(place: ClientPlace, wire: Wire): OrdinaryClient {
  const collection = `/api/v1/namespaces/${place.namespace}/configmaps`;
  const own = `${collection}?labelSelector=${userLabel}%3D${place.user}`;
  const reply = async (request: Sent): Promise<Reply> => {
    const { status, body } = await wire.send(request);
    return { status, object: storedOf(JSON.parse(body) as object) };
  };
  const write = (method: string, to: string, object: object, type = 'application/json'): Promise<Reply> =>
    reply({ method, path: to, type, body: JSON.stringify(object) });
  return {
    create: (name, text) => write('POST', collection, configMapOf(place, name, text)),
    read: (name) => reply({ method: 'GET', path: `${collection}/${name}` }),
    replace: (name, text, resourceVersion) => write('PUT', `${collection}/${name}`, configMapOf(place, name, text, resourceVersion)),
    patch: (name, text, kind) => write('PATCH', `${collection}/${name}`, patchBody[kind](text), patchTypes[kind]),
    remove: (name) => reply({ method: 'DELETE', path: `${collection}/${name}` }),
    list: async () => {
      const { status, body } = await wire.send({ method: 'GET', path: own });
      const { items = [] } = JSON.parse(body) as { readonly items?: readonly object[] };
      return { status, items: items.flatMap((item) => storedOf(item) ?? []) };
    },
    removeAll: async () => ({ status: (await wire.send({ method: 'DELETE', path: own })).status, object: null }),
    close: () => wire.close(),
  };
}

const credentials = ({ files }: ClientPlace) => ({
  ca: fs.readFileSync(files.ca),
  cert: fs.readFileSync(files.certificate),
  key: fs.readFileSync(files.key),
});

const headersOf = ({ type, body }: Sent): Record<string, string | number> =>
  body === undefined ? {} : { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(body) };

/** A client on a persistent HTTP/1.1 connection. */
export function http1Client(place: ClientPlace): OrdinaryClient {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, ...credentials(place) });
  return restClient(place, {
    send: (sent) =>
      new Promise((resolve, reject) => {
        const request = https.request(place.address + sent.path, { method: sent.method, agent, headers: headersOf(sent) }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
        });
        request.on('error', reject).end(sent.body);
      }),
    close: () => agent.destroy(),
  });
}

/** One session over HTTP/2. */
export function http2Client(place: ClientPlace): OrdinaryClient {
  const session = http2.connect(place.address, credentials(place));
  let failed: Error | null = null;
  session.on('error', (error: Error) => {
    failed = error;
  });
  return restClient(place, {
    send: (sent) =>
      new Promise((resolve, reject) => {
        if (failed !== null) return reject(failed);
        const stream = session.request({ ':method': sent.method, ':path': sent.path, ...headersOf(sent) });
        const parts: Buffer[] = [];
        let status = 0;
        stream.on('response', (headers) => {
          status = headers[':status'] ?? 0;
        });
        stream.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
        stream.on('end', () => resolve({ status, body: Buffer.concat(parts).toString() }));
        stream.on('close', () => reject(new Error(`the stream closed before the end of the response (code ${stream.rstCode})`)));
        stream.end(sent.body);
      }),
    close: () => session.close(),
  });
}

/** Python's HTTP client in its own process, on a persistent connection. */
export function pythonClient(place: ClientPlace): OrdinaryClient {
  const { ca, certificate, key } = place.files;
  const program = path.join(packageRoot, 'test', 'soak', 'clients', 'client.py');
  const child = spawn('python3', [program, place.address, ca, certificate, key], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = readline.createInterface({ input: child.stdout });
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  return restClient(place, {
    send: async (sent) => {
      const line = (once(lines, 'line', { signal: ended.signal }) as Promise<[string]>).catch((cause: unknown) => {
        throw new Error('the program in Python has ended', { cause });
      });
      child.stdin.write(`${JSON.stringify(sent)}\n`);
      const [text] = await line;
      const received = JSON.parse(text) as Received & { readonly error?: string };
      if (received.error !== undefined) throw new Error(received.error);
      return received;
    },
    close: () => child.stdin.end(),
  });
}
