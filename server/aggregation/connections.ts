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

export interface ServiceRequest extends BackendRequest {
  /** Includes the query, percent-encoded. */ readonly path: string;
}

export interface ServiceConnections {
  /** Follows no redirects. Rejects with a BackendError. */
  send(service: ApiService, request: ServiceRequest): Promise<BackendAnswer>;
  close(): void;
}

export interface ServiceConnectionsOptions {
  readonly addresses: ServiceAddresses;
  /** Proves that identity headers come from this server. */
  readonly identity: Pick<ConnectionSettings, 'cert' | 'key'>;
  readonly dial?: Dial | null;
  readonly certificates?: CertificateCounts;
}

export function createServiceConnections({
  addresses,
  identity,
  dial = null,
  certificates = noCertificateCounts,
}: ServiceConnectionsOptions): ServiceConnections {
  const agents = new ServiceAgents(identity, dial);
  return {
    send: async (service, { method, headers, body, signal, path }) => {
      const { host, port } = await placeOf(service, addresses);
      const { agent, tls } = agents.of(service);
      // An upgraded connection is not returned.
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
      agents.close();
    },
  };
}

interface ServiceAgent {
  readonly key: string;
  readonly agent: Agent;
  readonly tls: AgentOptions;
}

/** Agents by TLS settings; connections of unused ones close when idle too long. */
class ServiceAgents {
  readonly #identity: ServiceConnectionsOptions['identity'];
  readonly #dial: Dial | null;
  readonly #agents = new Map<string, ServiceAgent>();

  constructor(identity: ServiceConnectionsOptions['identity'], dial: Dial | null) {
    this.#identity = identity;
    this.#dial = dial;
  }

  of(service: ApiService): ServiceAgent {
    const key = JSON.stringify([service.target, service.ca, service.trusting]);
    const known = this.#agents.get(service.name);
    if (known?.key === key) return known;
    const tls: AgentOptions = tlsClientOptions({
      ...this.#identity,
      servername: hostOf(service),
      rejectUnauthorized: !service.trusting,
      ca: service.ca === '' ? null : service.ca,
    });
    const made = { key, tls, agent: silentWhileIdle(agentBy(this.#dial, { keepAlive: true, timeout: idleMs, ...tls })) };
    this.#agents.set(service.name, made);
    return made;
  }

  close(): void {
    for (const { agent } of this.#agents.values()) agent.destroy();
  }
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
