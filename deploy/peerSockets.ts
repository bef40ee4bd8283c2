import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';

/** The connections between replicas, in the thread that owns them. They can be cut without support in the server. */

let cut: ReadonlySet<string> = new Set();
const peers = new Map<tls.TLSSocket, string>();
const peerNameEnd = '.raft';
const reason = 'cut off from the other replicas on purpose';
const memberOf = (name: string | undefined): string | null => (name?.endsWith(peerNameEnd) ? name.slice(0, -peerNameEnd.length) : null);

function track(socket: tls.TLSSocket, member: string | null): void {
  if (member === null) return;
  if (cut.has(member)) return void socket.destroy(new Error(reason));
  peers.set(socket, member);
  socket.once('close', () => peers.delete(socket));
}

/** Stops all bytes between this replica and these, in both directions, until the next call. */
export function cutOff(from: readonly string[]): void {
  cut = new Set(from);
  for (const [socket, member] of peers) if (cut.has(member)) socket.destroy(new Error(reason));
}

/** Replicas authenticate as `DNS:<member>.raft`. */
function callerOf(socket: tls.TLSSocket): string | null {
  const { subjectaltname = '' } = socket.getPeerCertificate() ?? {};
  return memberOf(/DNS:([^,\s]+)/.exec(subjectaltname)?.[1]);
}

/** Must be called before the first connection is made. */
export function trackPeers(): void {
  const { connect } = tls;
  tls.connect = ((...args: Parameters<typeof connect>) => {
    const socket = connect(...args);
    const [options] = args as unknown as [{ readonly servername?: string } | undefined];
    track(socket, memberOf(options?.servername));
    return socket;
  }) as typeof connect;
  const server = tls.Server.prototype as tls.Server & { emit(event: string, ...args: unknown[]): boolean };
  const { emit } = server;
  server.emit = function patched(this: tls.Server, event: string, ...args: unknown[]): boolean {
    if (event === 'secureConnection') track(args[0] as tls.TLSSocket, callerOf(args[0] as tls.TLSSocket));
    return emit.call(this, event, ...args);
  };
  syncBuiltinESMExports();
}
