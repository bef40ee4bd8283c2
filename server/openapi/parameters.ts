import { messageNamed } from '../../api/catalogue/protobuf.js';
import type { Shape } from '../../api/catalogue/types.js';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

type QueryRow = readonly [type: Parameter['type'], description: string];

const query: Readonly<Record<string, QueryRow>> = {
  allowWatchBookmarks: [
    'boolean',
    'Asks for bookmark events in a watch: they carry only a resource version from which the watch can be continued.',
  ],
  continue: [
    'string',
    'Token of the previous chunk of a list: the answer is the chunk that follows. All other parameters must stay the same.',
  ],
  dryRun: ['string', 'Go through every step of the request but keep nothing. The only value is "All".'],
  fieldManager: [
    'string',
    'Name of whoever makes this change, up to 128 printable characters, under which the written fields are recorded. Needed for apply.',
  ],
  fieldSelector: ['string', 'Only objects whose fields have these values, such as "metadata.name=web".'],
  fieldValidation: [
    'string',
    'What to do about unknown and duplicate fields: "Ignore", "Warn" (the default), or "Strict", which refuses the request.',
  ],
  force: ['boolean', 'For apply only: take over fields that other managers own.'],
  gracePeriodSeconds: ['integer', 'Seconds until the object goes. 0 means at once; unset means what the kind has as its default.'],
  ignoreStoreReadErrorWithClusterBreakingPotential: [
    'boolean',
    'Remove the object although what is stored of it cannot be read. Finalizers and preconditions are not looked at.',
  ],
  labelSelector: ['string', 'Only objects with such labels, for example "app=web,tier in (a,b)".'],
  limit: ['integer', 'Longest list to answer with. If there is more, the list carries a token for the parameter "continue".'],
  orphanDependents: ['boolean', 'Older form of propagationPolicy: whether dependents stay.'],
  pretty: [
    'string',
    '"true" asks for an answer that is laid out for people, "false" for one that is not; without it browsers, curl and Wget get the former.',
  ],
  propagationPolicy: [
    'string',
    'What becomes of dependents: "Orphan" leaves them, "Background" lets them be removed afterwards, "Foreground" before.',
  ],
  resourceVersion: [
    'string',
    'How recent the answer must be: unset is the most recent state, "0" any state. For a watch, the version after which it starts.',
  ],
  resourceVersionMatch: ['string', 'How resourceVersion is meant for a list: "NotOlderThan" or "Exact".'],
  sendInitialEvents: ['boolean', 'Begin a watch with the present objects as events, and a bookmark after them.'],
  shardSelector: [
    'string',
    "Only objects whose hash is in a range: \"shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')\", or several joined by ||. Needs the feature ShardedListAndWatch.",
  ],
  timeoutSeconds: ['integer', 'End of a list or watch, however much is done by then.'],
  watch: ['boolean', 'Follow changes instead of listing: the answer is a stream of events.'],
};

/** Descriptions of query options of `exec`, `log` and the like. */
const connect: Readonly<Record<string, string>> = {
  command: 'Program to run, and its arguments, one value each.',
  container: 'Container to use; the only one, or the default one, if not given.',
  follow: 'Go on as the log grows.',
  insecureSkipTLSVerifyBackend: 'Do not check the certificate of the node agent.',
  limitBytes: 'Longest log to answer with, in bytes.',
  path: 'Path, and query, to ask the target for.',
  ports: 'Ports to forward.',
  previous: 'Show the log of the container that ran before the present one.',
  sinceSeconds: 'Only lines of this many last seconds.',
  stderr: 'Pass on standard error.',
  stdin: 'Pass on standard input.',
  stdout: 'Pass on standard output.',
  stream: 'Which stream of the log to show: All, Stdout or Stderr.',
  tailLines: 'Only this many lines at the end.',
  timestamps: 'Begin each line with its time.',
  tty: 'Give the program a terminal.',
};

const named = (...names: readonly string[]): readonly Parameter[] =>
  names.map((name) => {
    const [type, description] = query[name] ?? unknown(name);
    return { name, in: 'query', type, description };
  });

const unknown = (name: string): never => {
  throw new Error(`parameter ${name} is not described`);
};

const list = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'shardSelector',
  'timeoutSeconds',
  'watch',
];
const write = ['dryRun', 'fieldManager', 'fieldValidation'];
const remove = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
const collection = list.filter((name) => name !== 'allowWatchBookmarks' && name !== 'watch');

export const verbParameters: Readonly<Record<string, readonly Parameter[]>> = {
  get: [],
  list: named(...list),
  watch: named(...list),
  create: named(...write),
  update: named(...write),
  patch: named(...write, 'force'),
  delete: named(...remove),
  deletecollection: named(...[...remove, ...collection].sort()),
};

/** The same for custom resources: get has a version, and deletecollection the parameters of list. */
export const definedVerbParameters: Readonly<Record<string, readonly Parameter[]>> = {
  ...verbParameters,
  get: named('resourceVersion'),
  deletecollection: named(...list),
};

/** A parameter of every operation on resources. */
export const pretty = named('pretty');

const pathDescriptions: Readonly<Record<string, string>> = {
  name: 'Name of the object.',
  namespace: 'Namespace of the object.',
  path: 'Path to ask the target for.',
};

export const pathParameters = (path: string): Parameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    type: 'string',
    description: pathDescriptions[name] ?? '',
  }));

const isWhole = (shape: Shape): boolean =>
  shape.is === 'list' ? isWhole(shape.items) : shape.is === 'scalar' && /^int/.test(shape.scalar);
const typeOf = (shape: Shape): Parameter['type'] =>
  shape.is === 'scalar' && shape.scalar === 'boolean' ? 'boolean' : isWhole(shape) ? 'integer' : 'string';

/** Converts an options message, such as `core.v1.PodExecOptions`, to query parameters. Lists plain values only: the reference omits times. */
export const optionParameters = (message: string): Parameter[] =>
  (messageNamed(message)?.fields ?? [])
    .filter(({ shape }) => shape.is === 'scalar' || shape.is === 'list')
    .map(({ name, shape }): Parameter => ({ name, in: 'query', type: typeOf(shape), description: connect[name] ?? '' }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
