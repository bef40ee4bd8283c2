import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { isUntrusted } from '../../webhook/peerCertificates.js';
import { endUnlessRegular } from '../../webhook/regularConnections.js';
import { sendBody, type FramedBody } from './framing.js';

/** What goes to a backend. */
export interface BackendRequest {
  readonly method: string;
  /** Without those that frame the body. */
  readonly headers: OutgoingHttpHeaders;
  /** Written to the backend as it comes; null for no body. */
  readonly body: FramedBody | null;
  readonly signal: AbortSignal;
  /** The client does not want the agent's certificate to be checked (`insecureSkipTLSVerifyBackend`). */
  readonly trusting?: boolean;
}

/** An answer, or a connection that speaks another protocol from now on. `head` is what the backend has sent on it already. */
export type BackendAnswer =
  | { readonly outcome: 'response'; readonly response: IncomingMessage }
  | { readonly outcome: 'upgraded'; readonly response: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

interface BackendErrorOptions extends ErrorOptions {
  readonly untrusted?: boolean;
}

/** No answer came. `reached`: the other side was there, but did not behave like a backend should. */
export class BackendError extends Error {
  /** The other side has shown a certificate that is not good. */
  readonly untrusted: boolean;

  constructor(
    message: string,
    readonly reached: boolean,
    options: BackendErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'BackendError';
    this.untrusted = options.untrusted ?? false;
  }
}

export interface AskOptions {
  readonly body: FramedBody | null;
  /** Whom messages are about. */
  readonly whom: string;
  /** How long the connection may take to be there. */
  readonly connectTimeoutMs: number;
  /** What the error of a connection means; `untrusted` when it is about the certificate of the other side. */
  readonly explain: (error: Error, untrusted: boolean) => BackendError;
}

/** Sends a request that has been opened, and waits for the head of its answer. Rejects with a BackendError. */
export function ask(outgoing: ClientRequest, { body, whom, connectTimeoutMs, explain }: AskOptions): Promise<BackendAnswer> {
  const upgrades = outgoing.hasHeader('upgrade');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      outgoing.destroy(new BackendError(`no connection to ${whom} within ${connectTimeoutMs} ms`, false));
    }, connectTimeoutMs);
    const connected = (): void => {
      clearTimeout(timer);
    };
    outgoing.once('socket', (socket) => {
      // What came through a proxy stands already; only TLS with the other end may be under way.
      if (outgoing.reusedSocket || (!('encrypted' in socket) && (socket as { readonly connecting?: boolean }).connecting !== true))
        connected();
      else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
    });
    outgoing.once('response', (response) => {
      if ((response.statusCode ?? 0) < final) outgoing.destroy(unasked());
      else resolve({ outcome: 'response', response });
    });
    outgoing.once('upgrade', (response, socket, head) => {
      if (upgrades) return resolve({ outcome: 'upgraded', response, socket, head });
      socket.destroy();
      reject(unasked());
    });
    outgoing.on('error', (error) => {
      connected();
      reject(error instanceof BackendError ? error : explain(error, isUntrusted(error, outgoing.socket)));
    });
    outgoing.once('close', connected);
    endUnlessRegular(outgoing);
    sendBody(outgoing, body);
  });
}

/** Codes of answers after which no other comes begin here (RFC 9110, section 15). */
const final = 200;
const unasked = (): BackendError => new BackendError('the backend changed the protocol, which nobody has asked for', true);
