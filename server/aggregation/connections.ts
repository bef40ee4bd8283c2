import { Agent, request, type AgentOptions } from 'node:https';
import { verificationText } from '../../program/tls/verificationText.js';
import { ask, BackendError, type BackendAnswer, type BackendRequest } from '../endpoints/backends/answer.js';
import type { ConnectionSettings } from '../../program/kubeconfig.js';
import { tlsClientOptions } from '../../program/tls/tlsClient.js';
import { ServiceUnresolvedError, type ServiceAddresses } from '../registry/serviceAddresses.js';
import { dialingAgent, type Dial } from '../webhook/dialed.js';
import { countCertificates, countRefusedCertificate, noCertificateCounts, type CertificateCounts } from '../webhook/peerCertificates.js';
import { silentWhileIdle } from '../webhook/regularConnections.js';
import type { ApiService } from './apiServices.js';

const connectTimeoutMs = 10_000;
const idleMs = 90_000;

/** A request to another program's API. */
export interface ServiceRequest extends BackendRequest {
  /** With the query, percent-encoded. */ readonly path: string;
}

/** The ways to the programs behind API services. */
export interface ServiceConnections {
  /** Follows no redirects. Rejects with a BackendError. */
  send(service: ApiService, request: ServiceRequest): Promise<BackendAnswer>;
  close(): void;
}

export interface ServiceConnectionsOptions {
  readonly addresses: ServiceAddresses;
  /** Proves to the programs that what headers say about users comes from this server. */
  readonly identity: Pick<ConnectionSettings, 'cert' | 'key'>;
  /** The way to services of the cluster; null for the direct one. */
  readonly dial?: Dial | null;
  /** Told of certificates of a dated kind. */
  readonly certificates?: CertificateCounts;
}

export function createServiceConnections({
  addresses,
  identity,
  dial = null,
  certificates = noCertificateCounts,
}: ServiceConnectionsOptions): ServiceConnections {
  // Agents by what they trust; one that is not asked for any more keeps no connection longer than they idle.
  const agents = new Map<string, { readonly key: string; readonly agent: Agent; readonly tls: AgentOptions }>();
  const agentOf = (service: ApiService): { readonly agent: Agent; readonly tls: AgentOptions } => {
    const key = JSON.stringify([service.target, service.ca, service.trusting]);
    const known = agents.get(service.name);
    if (known?.key === key) return known;
    const tls: AgentOptions = tlsClientOptions({
      ...identity,
      servername: hostOf(service),
      rejectUnauthorized: !service.trusting,
      ca: service.ca === '' ? null : service.ca,
    });
    const made = { key, tls, agent: silentWhileIdle(agentBy(dial, { keepAlive: true, timeout: idleMs, ...tls })) };
    agents.set(service.name, made);
    return made;
  };
  return {
    send: async (service, { method, headers, body, signal, path }) => {
      const { host, port } = await placeOf(service, addresses);
      const { agent, tls } = agentOf(service);
      // A connection that becomes another protocol's is not given back.
      const used = headers.upgrade === undefined ? agent : dial === null ? false : agentBy(dial, tls);
      const outgoing = request({ host, port, method, path, headers: { ...headers, host: hostOf(service) }, signal, agent: used, ...tls });
      const explain = (error: Error): BackendError => {
        countRefusedCertificate(error, outgoing.socket, certificates);
        return explained(error);
      };
      const answer = await ask(outgoing, { body, whom: hostOf(service), connectTimeoutMs, explain });
      countCertificates(answer.response.socket, certificates);
      return answer;
    },
    close: () => {
      for (const { agent } of agents.values()) agent.destroy();
    },
  };
}

const agentBy = (dial: Dial | null, options: AgentOptions): Agent =>
  dial === null ? new Agent(options) : (dialingAgent(dial, { secure: true, ...options }) as Agent);

const explained = (error: Error): BackendError =>
  new BackendError(
    verificationText(error) ?? (error.message === '' ? ((error as NodeJS.ErrnoException).code ?? '') : error.message),
    false,
    { cause: error },
  );

async function placeOf({ target }: ApiService, addresses: ServiceAddresses): Promise<{ readonly host: string; readonly port: number }> {
  if (target === null) throw new Error('broken invariant: this server is its own way to itself');
  try {
    return await addresses(target);
  } catch (error) {
    if (error instanceof ServiceUnresolvedError) throw new BackendError(error.message, false, { cause: error });
    throw error;
  }
}

export const hostOf = ({ target }: ApiService): string => `${target?.name ?? ''}.${target?.namespace ?? ''}.svc`;
