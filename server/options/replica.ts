import type { Member, MemberId, ReplicaOptions } from '../../raft/index.js';
import { readClusterToken } from '../../program/files/clusterToken.js';
import type { ApiServerOptions } from './flags.js';

/** Returns the options of this server's replica, from checked texts. Throws for an unreadable token file. */
export function replicaOptions(options: ApiServerOptions): ReplicaOptions {
  const id = options['raft-member-id'];
  const members = initialMembers(options['raft-initial-cluster'], id, options['raft-initial-cluster-state'] === 'existing');
  const { 'raft-ca-file': caFile, 'raft-cert-file': certFile, 'raft-key-file': keyFile, 'raft-cluster-token-file': tokenFile } = options;
  const own = options['raft-initial-cluster'].length > 1 ? members.find((member) => member.id === id)!.address : null;
  return {
    dataDirectory: options['raft-data-dir'],
    memberId: id as MemberId,
    initialMembers: members,
    clusterToken: tokenFile === null ? options['raft-cluster-token'] : readClusterToken(tokenFile),
    listenAddress: options['raft-listen-address'] ?? own,
    tls: caFile !== null && certFile !== null && keyFile !== null ? { caFile, certFile, keyFile } : null,
    heartbeatIntervalMs: options['raft-heartbeat-interval'],
    electionTimeoutMs: options['raft-election-timeout'],
    logEntriesKept: options['raft-log-entries-kept'],
    diskReserveBytes: options['raft-disk-reserve'] === 0 ? null : options['raft-disk-reserve'],
    quotaBytes: options['raft-quota-bytes'],
  };
}

/** A single replica needs no address. */
function initialMembers(texts: readonly string[], id: string, joins: boolean): Member[] {
  if (texts.length === 0) return [{ id: id as MemberId, role: 'voter', address: '' }];
  return texts.map((text) => {
    const at = text.indexOf('=');
    const member = text.slice(0, at);
    return { id: member as MemberId, role: joins && member === id ? 'learner' : 'voter', address: text.slice(at + 1) };
  });
}
