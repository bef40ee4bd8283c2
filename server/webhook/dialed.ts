import { Agent as PlainAgent, type AgentOptions as PlainAgentOptions, type ClientRequestArgs } from 'node:http';
import { Agent as SecureAgent, type AgentOptions } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions } from 'node:tls';

/** Opens a tunnel to a host and port. Rejects with the reason. */
export type Dial = (host: string, port: number) => Promise<Duplex>;

type Created = (error: Error | null, stream: Duplex) => void;
/** Creates an agent's connection, perhaps asynchronously, which Node's declarations omit. */
interface Creating {
  createConnection(options: ClientRequestArgs, created: Created): undefined;
}

/** An agent whose connections `dial` opens; TLS, if any, is end-to-end. */
export function dialingAgent(
  dial: Dial,
  { secure, ...options }: { readonly secure: boolean } & (AgentOptions | PlainAgentOptions),
): PlainAgent | SecureAgent {
  const agent = secure ? new SecureAgent(options) : new PlainAgent(options);
  const creating = agent as unknown as Creating;
  creating.createConnection = (asked, created) => {
    const { host = 'localhost', port = secure ? 443 : 80 } = asked;
    dial(String(host), Number(port)).then(
      (way) => {
        created(
          null,
          secure ? connect({ ...(options as ConnectionOptions), ...(asked as ConnectionOptions), ...nameFor(asked), socket: way }) : way,
        );
      },
      (error: unknown) => {
        created(error as Error, undefined as unknown as Duplex);
      },
    );
    return undefined;
  };
  return agent;
}

/** SNI does not allow addresses. */
function nameFor(asked: ClientRequestArgs): ConnectionOptions {
  const { servername } = asked as ConnectionOptions;
  const name = servername ?? String(asked.host ?? '');
  return isIP(name) > 0 ? { servername: '' } : { servername: name };
}
