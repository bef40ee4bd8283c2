import https from 'node:https';
import tls, { type SecureContext } from 'node:tls';

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

/** Keeps no connections, but the sessions of TLS: who is asked twice a second for days need not prove each time who it is. */
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

/** Asks once, on a connection of its own: a kept connection would say nothing about new ones. Never rejects. */
export function probeReadiness({ host, port, timeoutMs, ca }: Probe): Promise<Readiness> {
  return new Promise((resolve) => {
    const options: https.RequestOptions & Pick<tls.ConnectionOptions, 'secureContext'> = {
      host,
      port,
      path: '/readyz',
      agent,
      secureContext: contextFor(ca),
      // Beside the context, because the sessions that are kept are told apart by it.
      ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
    };
    const request = https.request(options);
    const finish = (readiness: Readiness): void => {
      clearTimeout(timer);
      resolve(readiness);
      request.destroy();
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
