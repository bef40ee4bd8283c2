import path from 'node:path';

/**
 * Who may import whom: the rules of the architecture as data, and the code that applies them. Which folder may know which is kept by the compiler
 * (`references` in the `tsconfig.json` of each); here stand the finer rules: the doors, the layers within the server, and who stays pure.
 */

export interface Import {
  readonly specifier: string;
  /** The imported file as a path from the repository's root; null for a package or a part of Node. */
  readonly target: string | null;
  readonly typeOnly: boolean;
  /** What is imported, as it is called there; empty for all of it. */
  readonly names: readonly string[];
}

/** Folders (or files) below which a file may import, by the folder that the importing file is in. The longest matching prefix decides. */
interface Rule {
  readonly from: string;
  readonly to: readonly string[];
  /** Allowed for types alone. */
  readonly types?: readonly string[];
  /** No part of Node: such code decides, and touches nothing. */
  readonly pure?: true;
}

/** What Kubernetes objects are. */
const apiFacts = ['api/'];
/** What runs at build alone: nobody imports it. */
const generator = 'api/generate/';
const plainWords = [...apiFacts, 'program/'];
const raftDoor = 'raft/index.js';
const belowHttp = [raftDoor, 'workers/', ...plainWords, 'server/options/', 'server/webhook/', 'server/cel/'];
/** Parts of the server from the top down. Each may import itself and those after it. */
const serverStack = [
  [
    'server/console/',
    'server/http/',
    'server/discovery/',
    'server/openapi/',
    'server/aggregation/',
    'server/presence/',
    'server/election/',
  ],
  ['server/endpoints/', 'server/authentication/', 'server/authorization/', 'server/audit/', 'server/fairness/', 'server/extensions/'],
  ['server/registry/', 'server/kinds/', 'server/admission/', 'server/patch/'],
  ['server/storage/'],
] as const;

const rules: readonly Rule[] = [
  { from: 'api/', to: ['api/'], pure: true },
  { from: 'api/catalogue/', to: ['api/'] },
  { from: generator, to: [generator] },
  { from: 'raft/', to: ['raft/'] },
  { from: 'raft/core/', to: ['raft/core/', 'raft/types.js'], pure: true },
  { from: 'workers/', to: ['workers/', ...apiFacts] },
  { from: 'program/', to: ['program/', 'workers/codecs/', ...apiFacts] },
  { from: 'server/', to: ['server/', ...plainWords, raftDoor, 'workers/'] },
  { from: 'server/webhook/', to: ['server/webhook/', 'program/tracing/activeTrace.js', ...plainWords] },
  // Commands for operators are clients of a server, or readers of its files; they must not come to need a running one's parts.
  { from: 'server/operations/', to: ['server/operations/', raftDoor, 'program/files/clusterToken', ...plainWords] },
  // Patterns mean in expressions what they mean where objects are checked.
  { from: 'server/cel/', to: ['server/cel/', 'workers/regexp/', 'workers/turns/', ...plainWords] },
  // The life cycle is one for all kinds: what it has to know of a kind, the kind tells it.
  {
    from: 'server/registry/',
    to: [...belowHttp, 'server/registry/', 'server/patch/', 'server/storage/'],
  },
  ...serverStack.flatMap((level, depth) => level.map((from): Rule => ({ from, to: [...belowHttp, ...serverStack.slice(depth).flat()] }))),
  { from: 'controllers/', to: ['controllers/', 'program/', ...apiFacts] },
  // The client for controllers speaks Protobuf, with the same pure codecs that the server has; see docs/decisions/0009.
  { from: 'controllers/client/', to: ['controllers/', 'program/', 'workers/codecs/', ...apiFacts] },
  { from: 'deploy/', to: ['deploy/'] },
  // Certificates of clusters are put together from the same parts as those of servers that were given none.
  { from: 'deploy/certificates.ts', to: ['deploy/', 'program/tls/certificateParts.js', 'program/tls/der.js'] },
  // What launcher and server say to each other over the channel between them.
  { from: 'deploy/handOver.ts', to: ['deploy/', 'server/process/handOverMessages.js'] },
  // Says which SQLite a replica would take on this machine.
  { from: 'deploy/cli/doctor.ts', to: ['deploy/', raftDoor] },
  // Stand-in nodes are a client like any other, written with the module for clients; what they serve, they serve under a certificate of their own.
  {
    from: 'deploy/nodes/',
    to: ['deploy/nodes/', 'deploy/certificates.js', 'controllers/client/', ...apiFacts],
  },
  // Tests' clusters are looked at with the same client; a reset leaves the accounts that controllers write as.
  {
    from: 'deploy/testing/',
    to: ['deploy/', 'controllers/client/', 'controllers/accountNames.js', 'server/cel/environment.js', ...apiFacts],
  },
  // The page runs in browsers, and is a client as any other: it knows nothing of the server but its API.
  { from: 'console/', to: ['console/'], pure: true },
  { from: 'test/', to: ['api/', 'raft/', 'workers/', 'program/', 'server/', 'controllers/', 'deploy/', 'console/model/', 'test/'] },
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

/** One sentence for each import that breaks a rule. */
export function violations(file: string, imports: readonly Import[]): string[] {
  const rule = rules.filter(({ from }) => file.startsWith(from)).sort((a, b) => b.from.length - a.from.length)[0];
  if (!rule) return [`${file} is in no known folder`];
  return imports
    .filter((imported) => !allowed(rule, imported))
    .map(({ specifier, target }) => `${file} may not import ${target ?? specifier}`);
}

function allowed(rule: Rule, { specifier, target, typeOnly }: Import): boolean {
  if (target === null) return !(rule.pure && specifier.startsWith('node:'));
  if (target.startsWith(generator) && ![generator, 'test/'].includes(rule.from)) return false;
  const within = (places: readonly string[] = []): boolean => places.some((place) => target.startsWith(place));
  return within(rule.to) || (typeOnly && within(rule.types));
}
