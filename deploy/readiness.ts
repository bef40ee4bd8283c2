import https from 'node:https';
import tls, { type SecureContext } from 'node:tls';

/**
 * What balancers ask. Without the checks of key services: they fail on all replicas at once, and a cluster that nobody is sent to serves not even reads. The
 * server takes no offence at a check that it does not have.
 */
export const readyPath = '/readyz?exclude=kms-provider-0&exclude=kms-providers';

/** What one look at `/readyz` showed. */
export type Readiness =
  | { readonly state: 'ready' }
  /** It answers, and says that it should not get requests now. */
  | { readonly state: 'unready'; readonly status: number; readonly body: string }
  /** No answer: refused, reset, not TLS, or not within the time. */
  | { readonly state: 'silent'; readonly reason: string };

export interface Probe {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** PEM text of the authority; without it, any certificate is accepted: nothing secret is sent or believed. */
  readonly ca?: string | undefined;
}

/** Bytes of the answer that are kept for a report. */
const bodyBytesMax = 4096;
/** Authorities that are kept read. */
const contextsMax = 16;

/** Keeps no connections, but the sessions of TLS: who is asked again and again need not prove each time who it is. */
const agent = new https.Agent({ keepAlive: false });

/** By authority: reading one takes longer than the rest of a question that nobody answers, and the same few are asked for all the time. */
const contexts = new Map<string | undefined, SecureContext>();

function contextFor(ca: string | undefined): SecureContext {
  const known = contexts.get(ca);
  if (known !== undefined) return known;
  const made = tls.createSecureContext(ca === undefined ? {} : { ca });
  if (contexts.size >= contextsMax) contexts.clear();
  contexts.set(ca, made);
  return made;
}

/** Asks once, on a connection of its own. Never rejects. */
export const probeReadiness = (probe: Probe): Promise<Readiness> => ask(probe, agent).then(({ readiness }) => readiness);

/** So many probes in a row share a connection: what it says of new ones is never older than that. */
const probesOfConnection = 10;

/**
 * Asks one server again and again. A handshake costs both sides some ten times what a question does, so a connection on which the last answer was a good one is
 * kept for the next few; one that fails is no answer before a new one has been tried.
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
  /** It came, or did not come, on a connection that had been used before. */
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
      // Beside the context, because the sessions that are kept are told apart by it.
      ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
    };
    const request = https.request(options);
    const finish = (readiness: Readiness): void => {
      clearTimeout(timer);
      resolve({ readiness, reused: request.reusedSocket });
      if (readiness.state !== 'ready') request.destroy();
    };
    const timer = setTimeout(() => finish({ state: 'silent', reason: `no answer within ${timeoutMs} ms` }), timeoutMs);
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

/** One line of text for reports. */
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
