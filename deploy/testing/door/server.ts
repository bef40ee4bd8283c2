import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestCluster } from '../testCluster.js';
import { actions, Patient, valuesFor, WrongRequest } from './actions.js';
import { boundedBody } from '../boundedBody.js';
import { errorText } from '../../../api/errorText.js';

const bodyBytesMax = 64 * 1024;

/** The API by which a test in another process, in any language, disturbs the cluster. */
export interface FaultDoor {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token: string;
  close(): Promise<void>;
}

/**
 * Serves the actions on a free loopback port: `POST /ACTION` takes and returns a JSON object, and answers when done; `GET /` lists the actions. Errors are
 * `{"error": "..."}`: 400 for a bad request, 401 without the token, 404 for an unknown action, 500 for an error of the cluster.
 */
export async function serveFaults(cluster: TestCluster): Promise<FaultDoor> {
  const patient = new Patient(cluster);
  const token = randomBytes(24).toString('base64url');
  const server = http.createServer((request, response) => {
    void answer(patient, token, request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
      response.end(`${JSON.stringify(body)}\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface FaultAnswer {
  readonly status: number;
  readonly body: object;
}

async function answer(patient: Patient, token: string, request: http.IncomingMessage): Promise<FaultAnswer> {
  if (!isBearer(request.headers.authorization, token))
    return refusal(401, 'show the token that came with the address: Authorization: Bearer TOKEN');
  const name = (request.url ?? '').split('?', 1)[0]!.slice(1);
  if (name === '' && request.method === 'GET') return { status: 200, body: described() };
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) return refusal(404, `there is no action ${name}; GET / says which there are`);
  if (request.method !== 'POST') return refusal(405, `POST /${name}`);
  try {
    return { status: 200, body: await action.run(patient, valuesFor(action, await objectIn(request))) };
  } catch (error) {
    return refusal(error instanceof WrongRequest ? 400 : 500, errorText(error));
  }
}

const refusal = (status: number, error: string): FaultAnswer => ({ status, body: { error } });

const described = (): object => Object.fromEntries(Object.entries(actions).map(([name, { about, takes }]) => [name, { about, takes }]));

function isBearer(header: string | undefined, token: string): boolean {
  const [shown, wanted] = [Buffer.from(header ?? ''), Buffer.from(`Bearer ${token}`)];
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}

async function objectIn(request: http.IncomingMessage): Promise<Record<string, unknown>> {
  const body = await boundedBody(request, bodyBytesMax, () => new WrongRequest(`a body has at most ${bodyBytesMax} bytes`));
  const value = parsed(body.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new WrongRequest('the body is one JSON object');
  return value as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw new WrongRequest('the body is no JSON');
  }
}
