import type { Dial } from '../webhook/dialed.js';
import type { Connection, Destination, EgressSelections } from './configuration.js';
import { dialByGrpc } from './grpcTunnel.js';
import { dialByConnect } from './httpConnect.js';

/** Null to connect directly. */
export type Egress = (destination: Destination) => Dial | null;

export const directEgress: Egress = () => null;

export const createEgress =
  (selections: EgressSelections): Egress =>
  (destination) =>
    dialOf(selections.get(destination) ?? { protocol: 'Direct' });

function dialOf(connection: Connection): Dial | null {
  switch (connection.protocol) {
    case 'Direct':
      return null;
    case 'HTTPConnect':
      return (host, port) => dialByConnect(connection.transport, host, port);
    case 'GRPC':
      return (host, port) => dialByGrpc(connection.transport, host, port);
  }
}
