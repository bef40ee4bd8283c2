import https from 'node:https';
import tls, { type SecureContext } from 'node:tls';

/**
 * The readiness path of balancers. It excludes checks of key services, which fail on all replicas at once and are not needed for reads. The server accepts
 * exclusions of absent checks.
 */
export const readyPath = '/readyz?exclude=kms-provider-0&exclude=kms-providers';

/** The result of one probe of `/readyz`. */
export type Readiness =
  | { readonly state: 'ready' }
  /** The server answers, and reports that it is not ready. */
  | { readonly state: 'unready'; readonly status: number; readonly body: string }
  | { readonly state: 'silent'; readonly reason: string };

export interface Probe {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** PEM text of the authority; without it, any certificate is accepted: nothing secret is exchanged. */
  readonly ca?: string | undefined;
}

/** Bytes of the response that are kept for a report. */
const bodyBytesMax = 4096;
const contextsMax = 16;

/** Keeps TLS sessions, but no connections: probes need no full handshake. */
const agent = new https.Agent({ keepAlive: false });

/** Keyed by authority: parsing one takes longer than the rest of a failed probe, and there are few. */
const contexts = new Map<string | undefined, SecureContext>();

function contextFor(ca: string | undefined): SecureContext {
  const known = contexts.get(ca);
  if (known !== undefined) return known;
  const made = tls.createSecureContext(ca === undefined ? {} : { ca });
  if (contexts.size >= contextsMax) contexts.clear();
  contexts.set(ca, made);
  return made;
}

/** Probes once, on a new connection. Never rejects. */
export const probeReadiness = (probe: Probe): Promise<Readiness> => ask(probe, agent).then(({ readiness }) => readiness);

/** Probes per connection, after which a new one shows whether connections still work. */
const probesOfConnection = 10;

/**
 * Probes one server repeatedly. A handshake costs both sides some ten times as much as a probe, so the connection of a successful probe is reused for the next
 * few. A failure on it counts only after a new connection has failed, too.
 */
export class RepeatedProbe {
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  readonly #probe: Probe;
  #asked = 0;

  constructor(probe: Probe) {
    this.#probe = probe;
  }

  async ask(): Promise<Readiness> {
    if (this.#asked >= probesOfConnection) this.close();
    this.#asked += 1;
    const { readiness, reused } = await ask(this.#probe, this.#agent);
    if (readiness.state === 'ready') return readiness;
    this.close();
    return readiness.state === 'silent' && reused ? this.ask() : readiness;
  }

  close(): void {
    this.#asked = 0;
    this.#agent.destroy();
  }
}

interface Answer {
  readonly readiness: Readiness;
  /** The result came from a reused connection. */
  readonly reused: boolean;
}

function ask({ host, port, timeoutMs, ca }: Probe, agent: https.Agent): Promise<Answer> {
  return new Promise((resolve) => {
    const options: https.RequestOptions & Pick<tls.ConnectionOptions, 'secureContext'> = {
      host,
      port,
      path: readyPath,
      agent,
      secureContext: contextFor(ca),
      ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
    };
    const request = https.request(options);
    let finished = false;
    const finish = (readiness: Readiness): void => {
      if (finished) return;
      finished = true;
      clearTimeout(timer);
      resolve({ readiness, reused: request.reusedSocket });
      if (readiness.state !== 'ready') request.destroy();
    };
    // Timers run before sockets are read: `setImmediate` lets an answer that has arrived at a late process count.
    const timer = setTimeout(() => setImmediate(() => finish({ state: 'silent', reason: `no answer within ${timeoutMs} ms` })), timeoutMs);
    request.on('error', (error) => finish({ state: 'silent', reason: error.message }));
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body = (body + chunk).slice(0, bodyBytesMax);
      });
      response.on('error', (error) => finish({ state: 'silent', reason: error.message }));
      response.on('end', () => finish(status === 200 ? { state: 'ready' } : { state: 'unready', status, body }));
    });
    request.end();
  });
}

export function describeReadiness(readiness: Readiness): string {
  switch (readiness.state) {
    case 'ready':
      return 'ready';
    case 'unready':
      return `/readyz answers ${readiness.status}: ${readiness.body.trim().replaceAll('\n', '; ')}`;
    case 'silent':
      return `/readyz does not answer (${readiness.reason})`;
  }
}
