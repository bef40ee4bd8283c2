import { inGroup } from '../../program/flags/flag.js';

export const limitFlags = inGroup('Limits', {
  'max-requests-inflight': {
    kind: 'int',
    default: 400,
    min: 0,
    help: 'Requests that change nothing and are worked on at once; 0 for no limit.',
  },
  'max-mutating-requests-inflight': {
    kind: 'int',
    default: 200,
    min: 0,
    help: 'Requests that change something and are worked on at once; 0 for no limit.',
  },
  'enable-priority-and-fairness': {
    kind: 'bool',
    default: true,
    help: 'Share the sum of the two limits above among clients as FlowSchemas and PriorityLevelConfigurations say: by levels that lend each other what they do not need, and fair queues within each. Otherwise the limits stand for themselves, and what is above them is refused.',
  },
  'request-timeout': { kind: 'duration', default: 60_000, min: 1, help: 'Time limit of requests, watches and other streams aside.' },
  'min-request-timeout': {
    kind: 'int',
    default: 1_800,
    min: 0,
    help: 'Seconds: watches are ended at random between this time and twice it.',
  },
  'max-connection-bytes-per-sec': {
    kind: 'int',
    default: 0,
    min: 0,
    help: 'Bytes per second, in each direction, of a connection that a client has to a node, pod or service through this server (exec, attach, port-forward, proxy); 0 for no limit.',
  },
});
