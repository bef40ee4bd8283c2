import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { isUntrusted } from '../../webhook/peerCertificates.js';
import { endUnlessRegular } from '../../webhook/regularConnections.js';
import { sendBody, type FramedBody } from './framing.js';

export interface BackendRequest {
  readonly method: string;
  /** Excludes the headers that frame the body. */
  readonly headers: OutgoingHttpHeaders;
  readonly body: FramedBody | null;
  readonly signal: AbortSignal;
  /** The agent's certificate is not checked (`insecureSkipTLSVerifyBackend`). */
  readonly trusting?: boolean;
}

/** `head` holds bytes sent after switching protocols. */
export type BackendAnswer =
  | { readonly outcome: 'response'; readonly response: IncomingMessage }
  | { readonly outcome: 'upgraded'; readonly response: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

interface BackendErrorOptions extends ErrorOptions {
  readonly untrusted?: boolean;
}

/** `reached`: the backend was reached, but misbehaved. */
export class BackendError extends Error {
  /** The backend presented an invalid certificate. */
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
  readonly whom: string;
  readonly connectTimeoutMs: number;
  /** `untrusted`: the error concerns the backend's certificate. */
  readonly explain: (error: Error, untrusted: boolean) => BackendError;
}

/** Rejects with a BackendError. */
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
      // A connection through a proxy already exists.
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

/** No other response follows these codes (RFC 9110, section 15). */
const final = 200;
const unasked = (): BackendError => new BackendError('the backend changed the protocol, which nobody has asked for', true);
