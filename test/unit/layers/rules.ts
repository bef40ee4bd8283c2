import path from 'node:path';

/**
 * The architecture's import rules as data, with their check: doors, layers of the server, and purity. The compiler checks rules between folders (`references`
 * in each `tsconfig.json`).
 */

export interface Import {
  readonly specifier: string;
  /** The imported file's path from the root; null for packages and Node. */
  readonly target: string | null;
  readonly typeOnly: boolean;
  /** Imported names, as in the imported file; empty for all. */
  readonly names: readonly string[];
}

/** Folders (or files) that files below `from` may import. The longest matching prefix decides. */
export interface Rule {
  readonly from: string;
  /** The content of the folder, for the table in CONTRIBUTING.md. */
  readonly about?: string;
  readonly to: readonly string[];
  /** `to` in words, where the list is long. */
  readonly may?: string;
  /** Pure code imports nothing from Node. */
  readonly pure?: true;
}

/** Build-time code, which no other imports. */
const generator = 'api/generate/';
const plainWords = ['api/', 'program/'];
const raftDoor = 'raft/index.js';
const server = ['server/', ...plainWords, raftDoor, 'workers/', 'cel/'];
const belowHttp = [raftDoor, 'workers/', ...plainWords, 'server/options/', 'server/webhook/', 'cel/'];

/** Folders that others may enter only by their door; `within` may import everything. Tests may too. */
const closed: readonly { readonly folder: string; readonly door: string; readonly within: string }[] = [
  { folder: generator, door: '', within: generator },
  { folder: 'raft/', door: raftDoor, within: 'raft/' },
  { folder: 'program/port/connections/', door: 'program/port/connections/index.js', within: 'program/port/' },
];

/** Parts of the server from the top down. Each may import its own level and lower ones. */
const serverStack: readonly Readonly<Record<string, string>>[] = [
  {
    'server/http/': 'the filters of a request, its routes, its errors',
    'server/discovery/': 'documents about what is served',
    'server/openapi/': 'documents about its types',
    'server/aggregation/': 'API services that other servers answer for',
    'server/console/': 'serves the console, and what it needs beside the API',
    'server/presence/': 'says that a server is there',
    'server/election/': 'who of its candidates holds a lease',
  },
  {
    'server/endpoints/': 'the verbs, negotiation, tables, ways to nodes and services',
    'server/authentication/': 'who asks, by tokens, and tokens of service accounts',
    'server/authorization/': 'whether they may',
    'server/audit/': 'the record of it',
    'server/fairness/': 'priority and fairness: how many requests of whom are worked on',
    'server/extensions/': 'custom resource definitions',
  },
  {
    'server/kinds/': 'what is peculiar to each built-in kind: one declaration a kind, a folder for each API group',
    'server/serviceAddresses/': 'hands out the addresses and node ports of Services, and repairs their records',
    'server/admission/': 'the plug-ins that change and check what is written',
    'server/patch/': 'JSON Patch, merge patch, strategic merge patch, server-side apply: pure functions',
  },
  {
    'server/storage/':
      'the storage contract, the watch cache, engines for it (`engine.ts`; the one over etcd in `etcd`), encryption at rest',
  },
];
const lowest = serverStack.length - 1;
const stackBelow = (level: number): string[] => serverStack.slice(level).flatMap((rooms) => Object.keys(rooms));

export const rules: readonly Rule[] = [
  {
    from: 'api/',
    about:
      'what Kubernetes objects are: their facts (`api/facts`), the types and tables that follow from them (`api/types`, `api/data`: generated), one reading each of what stands in objects (times, amounts, selectors), tools for JSON (`api/json`), errors, users and requests as everybody sees them',
    to: ['api/'],
    pure: true,
  },
  { from: 'api/catalogue/', about: 'the tables of the built-in types, read from `api/data`', to: ['api/'] },
  { from: generator, about: 'derives types and tables from the facts', to: [generator] },
  {
    from: 'raft/',
    about:
      'consensus and the replicated store: log, store and transport, joined in a thread of its own (`raft/replica`); `raft/index.ts` is the door that everybody else comes by',
    to: ['raft/'],
  },
  {
    from: 'raft/core/',
    about: 'the Raft state machine: messages in, effects out; no clock, no disk, no network',
    to: ['raft/core/', 'raft/types.js'],
    pure: true,
  },
  {
    from: 'workers/',
    about: 'bytes to objects and back (`workers/codecs`), checks of their structure (`workers/schema`); inline or on a pool of threads',
    to: ['workers/', 'api/'],
  },
  {
    from: 'program/',
    about:
      'what any process of ours needs: command lines, feature gates, configuration files and files that change, log, metrics, health, profiles, tracing, gRPC, kubeconfig, TLS; `program/port`: the secure port with its connections, and who comes by it with a certificate (`program/authentication`)',
    to: ['program/', 'workers/codecs/', 'api/'],
  },
  // Patterns have the same meaning in expressions and in validation.
  {
    from: 'cel/',
    about:
      'expressions of the Common Expression Language: their types, costs and values; `cel/policies`: the types of kinds, and how admission policies fit them',
    to: ['cel/', 'workers/regexp/', 'workers/turns/', ...plainWords],
  },
  { from: 'server/', about: 'loose files: the program (`main.ts`), and the server that it starts and ends (`server.ts`)', to: server },
  {
    from: 'server/assembly/',
    about:
      'puts the parts together: `api.ts` lists the steps, one file a step; `access.ts` (security), `front.ts` (filters), `serving.ts` (the port), `parts.ts` (starts parts, and stops them in reverse)',
    to: server,
  },
  { from: 'server/threads/', about: 'several threads that serve one port', to: server },
  { from: 'server/store/', about: 'which engine a server has, and what goes with it', to: server },
  { from: 'server/migration/', about: '`apiserver migrate`', to: server },
  {
    from: 'server/seed/',
    about: 'what every cluster has, as the hooks make it, for stores that are empty (`api/seed`: generated)',
    to: server,
  },
  { from: 'server/manifests/', about: 'checks and completes objects without a server (`raftplane/api`, `raftplane lint`)', to: server },
  { from: 'server/options/', about: 'the command line of the API server', to: server },
  {
    from: 'server/process/',
    about: 'the process of a server: its thread for consensus, connections that are handed over, memory',
    to: server,
  },
  { from: 'server/egress/', about: 'ways to nodes and services through proxies', to: server },
  { from: 'server/peers/', about: 'requests that another replica of another version answers', to: server },
  { from: 'server/webhook/', about: 'services that are asked', to: ['server/webhook/', ...plainWords] },
  // Operators' commands are clients or file readers, and must not depend on parts of a running server.
  {
    from: 'server/operations/',
    about: 'commands for operators: `apiserver member`, `backup`, `restore`, `check`',
    to: ['server/operations/', raftDoor, ...plainWords],
  },
  ...serverStack.flatMap((rooms, level) =>
    Object.entries(rooms).map(
      // The life cycle of objects is below the kinds; storage does not know it.
      ([from, about]): Rule => ({
        from,
        about,
        to: [...belowHttp, ...(level === lowest ? [] : ['server/registry/']), ...stackBelow(level)],
        may:
          level === lowest
            ? 'what requests know nothing of'
            : `\`${Object.keys(serverStack[level] ?? {})[0]?.slice(0, -1)}\` and its level, and below`,
      }),
    ),
  ),
  // The life cycle is the same for all kinds, which supply what it must know. It has the contract of admission, which it calls.
  {
    from: 'server/registry/',
    about: 'the generic life cycle of objects, and the contract of admission, which it calls',
    to: [...belowHttp, 'server/registry/', 'server/patch/', 'server/storage/'],
    may: '`server/patch`, `server/storage`, and what requests know nothing of',
  },
  {
    from: 'controllers/',
    about:
      'the controller manager: a folder for each controller, or for what several share (`workloads`, `revisions`, `slices`, `services`)',
    to: ['controllers/', ...plainWords],
  },
  // A policy's status includes type checks of its expressions.
  { from: 'controllers/policystatus/', to: ['controllers/', 'cel/policies/', ...plainWords] },
  // The controllers' client uses Protobuf with the server's pure codecs; see docs/decisions/0009.
  {
    from: 'controllers/client/',
    about: 'REST client, informers, work queues, events: [for your controllers as well](docs/writing-a-controller.md)',
    to: ['controllers/', ...plainWords, 'workers/codecs/'],
  },
  { from: 'deploy/', about: 'one-command local cluster, certificates, balancer; the command `raftplane` (`deploy/cli`)', to: ['deploy/'] },
  // Cluster certificates are built from the same parts as a server's default ones.
  { from: 'deploy/certificates.ts', to: ['deploy/', 'program/tls/certificateParts.js', 'program/tls/der.js'] },
  // The messages between launcher and server.
  { from: 'deploy/handOver.ts', to: ['deploy/', 'server/process/handOverMessages.js'] },
  // Reports which SQLite a replica would use.
  { from: 'deploy/cli/doctor.ts', to: ['deploy/', raftDoor] },
  { from: 'deploy/cli/explore.ts', to: ['deploy/', 'api/duration.js'] },
  // Configuration files are checked like the servers'.
  { from: 'deploy/cli/upConfig.ts', to: ['deploy/', 'program/files/', 'api/'] },
  // Manifests are checked by the server's rules.
  { from: 'deploy/cli/lint.ts', to: ['deploy/', 'server/manifests/index.js', 'api/'] },
  // Stand-in nodes use the ordinary client, and serve with their own certificate.
  {
    from: 'deploy/nodes/',
    about: 'stand-in nodes',
    to: ['deploy/nodes/', 'deploy/certificates.js', 'controllers/client/', 'api/'],
  },
  // The test library uses the same client; a reset keeps objects of controllers' accounts.
  {
    from: 'deploy/testing/',
    about: 'the library for tests, `raftplane/testing`',
    to: ['deploy/', 'controllers/client/', 'controllers/accountNames.js', 'cel/environment.js', 'api/'],
  },
  // The page runs in browsers and is an ordinary client, which knows only the server's API.
  {
    from: 'console/',
    about: 'the page that runs in browsers; `console/model` decides, and is tested without one',
    to: ['console/'],
    pure: true,
  },
  {
    from: 'test/',
    about: 'the tests, see below',
    to: ['api/', 'raft/', 'workers/', 'program/', 'cel/', 'server/', 'controllers/', 'deploy/', 'console/model/', 'test/'],
  },
];

/** Every import of a file: statements, re-exports, `import()` and `import()` types. */
export function importsOf(file: string, text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const statement =
    /^\s*(import|export)(\s+type\b)?[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
  return [...code.matchAll(statement)].map((match) => {
    const specifier = match[3] ?? match[4] ?? match[5] ?? '';
    return { specifier, target: resolve(file, specifier), typeOnly: match[2] !== undefined, names: namesIn(match[0]) };
  });
}

const namesIn = (statement: string): string[] =>
  (/\{([^}]*)\}/.exec(statement)?.[1] ?? '')
    .split(',')
    .map((entry) => entry.trim().replace(/^type\s+|\s+as\s.*$/g, ''))
    .filter((name) => name !== '');

function resolve(file: string, specifier: string): string | null {
  return specifier.startsWith('.') ? path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)) : null;
}

/** One sentence for each forbidden import. */
export function violations(file: string, imports: readonly Import[]): string[] {
  const rule = rules.filter(({ from }) => file.startsWith(from)).sort((a, b) => b.from.length - a.from.length)[0];
  if (!rule) return [`${file} is in no known folder`];
  return imports
    .filter((imported) => !allowed(file, rule, imported))
    .map(({ specifier, target }) => `${file} may not import ${target ?? specifier}`);
}

function allowed(file: string, rule: Rule, { specifier, target }: Import): boolean {
  if (target === null) return !(rule.pure && specifier.startsWith('node:'));
  if (!file.startsWith('test/') && closed.some(({ folder, door, within }) => isPast(folder, door, target) && !file.startsWith(within)))
    return false;
  return rule.to.some((place) => target.startsWith(place));
}

const isPast = (folder: string, door: string, target: string): boolean => target.startsWith(folder) && target !== door;

const mayOf = (rule: Rule): string =>
  rule.may ??
  rule.to
    .filter((place) => place !== rule.from)
    .map((place) => (place === 'server/' ? 'all of `server`' : `\`${place.replace(/\.js$/, '.ts').replace(/\/$/, '')}\``))
    .join(', ');

/** The rules as in CONTRIBUTING.md: a line for each room, and for each folder with its own rules. */
export const table = (): string =>
  [
    '| folder | what lives there | may import |',
    '|---|---|---|',
    ...rules.flatMap((rule) =>
      rule.about === undefined ? [] : [`| \`${rule.from.replace(/\/$/, '')}\` | ${rule.about} | ${mayOf(rule)} |`],
    ),
  ].join('\n');
