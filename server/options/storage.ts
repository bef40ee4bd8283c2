import { hostPort, serverUrl } from '../../program/flags/checks.js';
import { inGroup } from '../../program/flags/flag.js';
import { etcdOverride } from './etcdOverrides.js';
import { watchCacheSize } from './watchCache.js';

export const storageFlags = {
  ...inGroup('Replicated store (built in)', {
    'raft-data-dir': {
      kind: 'string',
      default: 'data',
      value: 'directory',
      help: "Where this replica keeps its log and its objects. One process at a time may use it; losing it means losing this member's identity.",
    },
    'raft-member-id': {
      kind: 'string',
      default: 'a',
      value: 'name',
      help: 'Name of this replica: 1 to 63 of a-z, 0-9, "-" and ".". Never give a name to another replica once its data is lost.',
      check: (value) => (memberName.test(value) ? null : '1 to 63 characters of a-z, 0-9, "-" and "."'),
    },
    'raft-initial-cluster': {
      kind: 'strings',
      default: [],
      value: 'id=host:port,...',
      check: initialMember,
      help: 'All members of a cluster that starts for the first time, this one included. Without it this replica is a cluster of its own. Ignored once --raft-data-dir holds a cluster.',
    },
    'raft-initial-cluster-state': {
      kind: 'string',
      default: 'new',
      oneOf: ['new', 'existing'],
      help: '"existing" for a member that was added to a running cluster (apiserver member add): it learns from the others, and votes once it is promoted.',
    },
    'raft-cluster-token': {
      kind: 'string',
      default: 'raftplane',
      value: 'word',
      help: 'Any word that all members share; clusters with different words never mix.',
    },
    'raft-cluster-token-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'File with that word, in place of --raft-cluster-token, which everybody sees who lists the processes of the machine.',
    },
    'raft-listen-address': {
      kind: 'string',
      default: null,
      value: 'host:port',
      check: hostPort,
      help: "Where to listen for other members. Otherwise this member's address in --raft-initial-cluster.",
    },
    'raft-ca-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: "Authorities of the members' certificates. Needed with more than one member.",
    },
    'raft-cert-file': {
      kind: 'string',
      default: null,
      value: 'file',
      help: "This member's certificate, good for both ends of a connection.",
    },
    'raft-key-file': { kind: 'string', default: null, value: 'file', help: 'Its key.' },
    'raft-heartbeat-interval': {
      kind: 'duration',
      default: 50,
      min: 5,
      max: 10_000,
      help: 'How often the leader shows that it is there; every 0.7 election timeouts while nothing happens, and it is waited for as much longer.',
    },
    'raft-election-timeout': {
      kind: 'duration',
      default: 500,
      min: 50,
      max: 100_000,
      help: 'How long members wait without a leader before they elect one (up to twice this time). At least five heartbeat intervals, and well above the round trip between members.',
    },
    'raft-log-entries-kept': {
      kind: 'int',
      default: 10_000,
      min: 0,
      max: 100_000_000,
      help: 'Entries kept behind a snapshot, so that a member that was away for a short time need not be sent everything.',
    },
    'raft-disk-reserve': {
      kind: 'quantity',
      default: 0,
      value: 'bytes',
      help: 'Below so much free space on the disk of --raft-data-dir creates and updates are refused (507), while reads, deletes and leases go on; there is no need to restart once there is room again. 0: 64Mi, or a quarter of a smaller file system.',
    },
    'raft-quota-bytes': {
      kind: 'quantity',
      default: 2 * 1024 * 1024 * 1024,
      value: 'bytes',
      help: 'What the store may hold, history included, before creates and updates are refused in the same way. All of it is in the memory of each server as well. Give all members the same; 0: no quota.',
    },
  }),
  ...inGroup('Storage', {
    'storage-backend': {
      kind: 'string',
      default: 'etcd3',
      oneOf: ['etcd3', 'memory'],
      help: 'Kind of store: etcd3 is an etcd where --etcd-servers names one, and otherwise the built-in store, which behaves the same; memory is that of this process alone, gone with it, for tests and trials.',
    },
    'storage-media-type': {
      kind: 'string',
      default: 'application/vnd.kubernetes.protobuf',
      oneOf: ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'],
      help: 'Form in which built-in types are stored from now on; what is stored already stays readable. Custom resources are stored in JSON; over an etcd in CBOR with CBORServingAndStorage.',
    },
    'storage-initialization-timeout': {
      kind: 'duration',
      default: 60_000,
      help: 'How long /readyz waits for the store to be loaded (check poststarthook/storage-readiness). What needs the store is still checked by itself: without a majority the server is not ready.',
    },
    'watch-cache': {
      kind: 'bool',
      default: true,
      help: 'Serve reads and watches from memory; otherwise from the store, which is slower and says the same.',
    },
    'watch-cache-sizes': {
      kind: 'strings',
      default: [],
      value: 'resource[.group]#size,...',
      check: watchCacheSize,
      help: 'Cache sizes; only 0 says something, which is "none": objects of that type are then read from the store.',
    },
    'encryption-provider-config': {
      kind: 'string',
      default: null,
      value: 'file',
      help: 'File of kind EncryptionConfiguration: how stored objects are encrypted.',
    },
    'encryption-provider-config-automatic-reload': { kind: 'bool', default: false, help: 'Read that file again when it changes.' },
    'delete-collection-workers': {
      kind: 'int',
      default: 1,
      help: 'Objects of one collection that pass admission at the same time; one where it is 0 or less. Commits overlap in any case.',
    },
    'event-ttl': { kind: 'duration', default: 3_600_000, help: 'How long events are kept after they were last written; 0 for ever.' },
    'etcd-servers': {
      kind: 'strings',
      default: [],
      check: serverUrl,
      value: 'url,...',
      help: 'Servers of an etcd to use in place of the built-in store; keys and values are then those of kube-apiserver, and the replicated store and its options are not used.',
    },
    'etcd-servers-overrides': {
      kind: 'strings',
      default: [],
      check: etcdOverride,
      value: 'group/resource#url;url,...',
      help: 'Other etcd servers for single built-in resources, beside --etcd-servers.',
    },
    'etcd-cafile': {
      kind: 'string',
      default: null,
      value: 'file',
      help: "Authorities of the etcd servers' certificates.",
    },
    'etcd-certfile': { kind: 'string', default: null, value: 'file', help: 'Certificate shown to etcd.' },
    'etcd-keyfile': { kind: 'string', default: null, value: 'file', help: 'Its key.' },
    'etcd-prefix': {
      kind: 'string',
      default: '/registry',
      check: (value) => (/^[\w./-]*\w[\w./-]*$/.test(value) ? null : 'a path such as /registry'),
      help: 'What all keys in the store begin with; a slash stands in front of it in any case. The same on all members, and never changed.',
    },
    'etcd-compaction-interval': {
      kind: 'duration',
      default: 300_000,
      help: 'How often history older than one such interval is dropped; 0 never.',
    },
    'etcd-count-metric-poll-period': {
      kind: 'duration',
      default: 60_000,
      help: 'How often objects are counted for the metrics; 0 never.',
    },
    'etcd-db-metric-poll-interval': {
      kind: 'duration',
      default: 30_000,
      help: 'How often the size of the store is read for the metrics; 0 never.',
    },
    'etcd-healthcheck-timeout': { kind: 'duration', default: 2_000, help: 'How long /healthz and /livez wait for the store; 0 for 2 s.' },
    'etcd-readycheck-timeout': { kind: 'duration', default: 2_000, help: 'How long /readyz waits for the store; 0 for 2 s.' },
    'lease-reuse-duration-seconds': {
      kind: 'int',
      default: 60,
      min: 0,
      help: 'Seconds for which events share the moment at which they are removed, at most a twentieth of --event-ttl: more of them go at a time, and stay that much longer.',
    },
  }),
} as const;

const memberName = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;

function initialMember(value: string): string | null {
  const at = value.indexOf('=');
  return at > 0 && memberName.test(value.slice(0, at)) && hostPort(value.slice(at + 1)) === null
    ? null
    : 'a member such as a=10.0.0.1:2380';
}
