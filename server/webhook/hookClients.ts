import path from 'node:path';
import type { ConnectionSettings } from '../../program/kubeconfig.js';
import { clientFor, type Address, type WebhookClient } from './client.js';
import type { Dial } from './dialed.js';
import type { CertificateCounts } from './peerCertificates.js';
import { writtenSeconds } from './wording.js';

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** The path of the URL; may be empty. */ readonly path: string;
}

/** The target of a `clientConfig`: a URL, or a service. */
export interface HookTarget {
  readonly at: string | ServiceReference;
  /** Certificate authorities in PEM; empty for the system's. */
  readonly ca: string;
}

export interface HookClient {
  /** Returns a call's URL with this timeout, as in messages. */
  urlFor(timeoutMs: number): string;
  /** Rejects with a WebhookError; the URL contains the timeout. */
  post(body: string, terms: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined }): Promise<string>;
}

export interface HookClients {
  /** Returns a target's client, with shared connections. Throws for an invalid URL. */
  of(target: HookTarget): HookClient;
  close(): void;
}

/** Resolves a service's current address. Rejects with the reference's error. */
export type ResolveService = (service: ServiceReference) => Promise<Address>;

/** The client certificate for a webhook, by `host:port`. */
export type IdentityFor = (hostPort: string) => Pick<ConnectionSettings, 'cert' | 'key' | 'token' | 'ca' | 'anyServerName'>;

export interface OwnServer {
  readonly address: Address;
  readonly settings: Pick<ConnectionSettings, 'ca' | 'token' | 'anyServerName'>;
}

export interface HookClientsOptions {
  readonly resolve: ResolveService;
  readonly identityFor: IdentityFor;
  /** Null for services of others. */
  readonly own?: (service: ServiceReference) => OwnServer | null;
  readonly answerBytesMax?: number;
  /** Dialers to the cluster's services and to other hosts; null for direct connections. */
  readonly dial?: { readonly service: Dial | null; readonly host: Dial | null };
  readonly certificates?: CertificateCounts;
}

/** Limit of targets with open connections; the least recently used go. */
const targetsMax = 500;
const httpsPort = 443;

const directly = { service: null, host: null };

/** Clients by target: webhooks of one server share connections; those of a changed one close when idle. */
export function createHookClients(options: HookClientsOptions): HookClients {
  const known = new Map<string, TargetClient>();
  return {
    of(target) {
      const own = typeof target.at === 'string' ? null : (options.own?.(target.at) ?? null);
      const key = JSON.stringify([target.at, target.ca, own?.address, own?.settings.ca]);
      const found =
        known.get(key) ?? clientOf(own === null ? target : { ...target, ca: '' }, own === null ? options : toItself(own, options));
      known.delete(key);
      known.set(key, found);
      if (known.size > targetsMax) dropOldest(known);
      return found.client;
    },
    close() {
      for (const { transport } of known.values()) transport.close();
      known.clear();
    },
  };
}

/** Needs no tunnel. */
const toItself = ({ address, settings }: OwnServer, options: HookClientsOptions): HookClientsOptions => ({
  ...options,
  dial: directly,
  resolve: () => Promise.resolve(address),
  identityFor: () => settings,
});

interface TargetClient {
  readonly client: HookClient;
  readonly transport: WebhookClient;
}

function clientOf(
  { at, ca }: HookTarget,
  { resolve, identityFor, answerBytesMax, dial = directly, certificates }: HookClientsOptions,
): TargetClient {
  const service = typeof at === 'string' ? null : at;
  const url = typeof at === 'string' ? new URL(at) : new URL(`https://${at.name}.${at.namespace}.svc:${at.port}`);
  // Shows the scheme's default port, as the reference always does for a service.
  const host = service === null ? url.host : `${url.hostname}:${service.port}`;
  const address = `https://${host}${cleaned(service === null ? url.pathname : service.path)}`;
  const identity = identityFor(service === null && url.port === '' ? `${url.hostname}:${httpsPort}` : host);
  const authorities = [identity.ca ?? '', ca].filter((each) => each !== '').join('\n');
  const transport = clientFor(
    {
      ...identity,
      server: address,
      ...(authorities === '' ? {} : { ca: authorities }),
      ...(service === null ? {} : { tlsServerName: url.hostname }),
    },
    {
      dial: service === null ? dial.host : dial.service,
      ...(service === null ? {} : { resolve: () => resolve(service) }),
      ...(answerBytesMax === undefined ? {} : { answerBytesMax }),
      ...(certificates === undefined ? {} : { certificates }),
    },
  );
  return {
    transport,
    client: {
      urlFor: (timeoutMs) => `${address}?${queryFor(timeoutMs)}`,
      post: (body, terms) => transport.post(body, { ...terms, query: queryFor(terms.timeoutMs) }),
    },
  };
}

const queryFor = (timeoutMs: number): string => `timeout=${writtenSeconds(Math.max(1, Math.ceil(timeoutMs / 1000)))}`;

function dropOldest(known: Map<string, TargetClient>): void {
  const [oldest] = known;
  if (oldest === undefined) return;
  known.delete(oldest[0]);
  oldest[1].transport.release();
}

/** Joins paths like the reference, without trailing and doubled slashes. */
const cleaned = (pathname: string): string => {
  const joined = path.posix.join('/', pathname);
  return joined.length > 1 && joined.endsWith('/') ? joined.slice(0, -1) : joined;
};
