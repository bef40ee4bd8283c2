import { listedGroups, type ListedGroup } from './listedGroups.js';
import type { JsonObject } from '../../api/object.js';
import { apiVersionOf } from '../../api/resource.js';
import { methodNotAllowed, notAcceptable, pathNotFound } from '../../api/status.js';
import { sendShared } from '../endpoints/answers.js';
import type { RequestContext } from '../endpoints/context.js';
import type { Encoder } from '../endpoints/encoders/encoder.js';
import { allEncoders, encodersWith, type Encoders } from '../endpoints/encoders/encoders.js';
import { negotiateAccept } from '../endpoints/negotiation.js';
import { isForPeople } from '../../program/port/accept.js';
import { contentHash, notModified, redirected } from '../endpoints/conditional.js';
import type { Catalogue } from '../registry/resources.js';
import { withPeerGroups, type PeerGroups } from './peerGroups.js';
import { aggregatedCore, aggregatedGroups, coreVersions, groupDocument, groupList, resourceList } from './documents.js';

export interface DiscoveryOptions {
  readonly catalogue: Catalogue;
  /** All named groups in order, including extension servers'; each change replaces the array. */
  readonly groups?: () => readonly ListedGroup[];
  /** Resources of other API servers; each change replaces the array. */
  readonly peers?: () => readonly PeerGroups[];
  /** The content of `/version` apart from the API version. */
  readonly build?: Partial<
    Readonly<Record<'gitVersion' | 'gitCommit' | 'gitTreeState' | 'buildDate' | 'compiler' | 'goVersion' | 'platform', string>>
  >;
  readonly serverAddress?: string;
  readonly otherPaths?: readonly string[];
  /** Group versions whose resource lists are also served in CBOR (gate `CBORServingAndStorage`): built-in ones, as in the reference. */
  readonly cbor?: Pick<Catalogue, 'version'> | null;
  /** The emulated minor version; default: this program's. */
  readonly emulatedMinor?: number;
  /** Includes the hash of each type's stored version: gate `StorageVersionHash`. */
  readonly versionHashes?: boolean;
}

const major = '1';
const minor = '36';

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const otherRootPaths = ['/healthz', '/livez', '/metrics', '/metrics/slis', '/openapi/v2', '/openapi/v3', '/readyz', '/version'];

interface Documents {
  readonly plain: JsonObject;
  readonly aggregated: JsonObject;
}

interface PlainOptions {
  readonly encoders?: Encoders;
  /** See `negotiateAccept`. */
  readonly unrouted?: boolean;
}

/** Answers one path; `segments` are those after the first. */
type Page = (context: RequestContext, segments: readonly string[]) => boolean;

/** Answers both forms of discovery, `/version` and the paths; false for other paths. Throws StatusError. */
export function createDiscovery(options: DiscoveryOptions): (context: RequestContext) => Promise<boolean> {
  const pages = pagesOf(options);
  return async (context) => {
    const { path } = context.info;
    if (!path.startsWith('/') || path.startsWith('//')) return false;
    const [first = '', ...rest] = path.slice(1).replace(/\/$/, '').split('/');
    return (Object.hasOwn(pages, first) ? pages[first]?.(context, rest) : false) ?? false;
  };
}

function pagesOf(options: DiscoveryOptions): Readonly<Record<string, Page>> {
  const { catalogue } = options;
  const present = presentDocuments(options);
  const { plain, json, cacheable } = createAnswers();
  const version = versionDocument(options);
  // CBOR is for resources of groups, not for documents about groups, as in the reference.
  const listEncoders = (group: string, name: string): Encoders => encodersWith(options.cbor?.version(group, name) != null);
  const merged = mergedDocuments(options.peers ?? nobody);
  const root = (context: RequestContext, documents: Documents, unrouted: boolean): true => {
    const wanted = aggregatedWanted(context);
    if (wanted === null) return plain(context, documents.plain, { unrouted });
    return cacheable(context, wanted === 'merged' && documents === present().named ? merged(documents.aggregated) : documents.aggregated);
  };
  const resources = (context: RequestContext, group: string, name: string): boolean => {
    const document = present().lists.get(apiVersionOf({ group, version: name }));
    if (document === undefined) {
      if (catalogue.group(group)?.unknownPaths === 'named') return false;
      throw pathNotFound();
    }
    onlyGet(context);
    return plain(context, document, { encoders: listEncoders(group, name) });
  };
  return {
    '': (context, rest) => rest.length === 0 && json(context, present().paths),
    'index.html': (context, rest) => rest.length === 0 && json(context, present().paths),
    version: (context, rest) => rest.length === 0 && onlyGet(context) && onlyJson(context) && json(context, version),
    api: (context, rest) => {
      if (rest.length === 0) return onlyGet(context) && root(context, present().core, false);
      return rest.length === 1 && resources(context, '', rest[0] ?? '');
    },
    // Groups are shown for every method, for lack of routes in the reference.
    apis: (context, [groupName, versionName, ...more]) => {
      if (groupName === undefined) return root(context, present().named, true);
      const group = present().groups.get(groupName);
      if (group === undefined || more.length > 0) return false;
      if (versionName === undefined) return plain(context, group, { unrouted: true });
      return catalogue.group(groupName) !== null && resources(context, groupName, versionName);
    },
  };
}

/** Ways to answer with a document; the encoded forms of each document are cached. */
function createAnswers() {
  const bytesOf = memo((document: JsonObject) => Buffer.from(`${JSON.stringify(document)}\n`));
  const laidOutBytesOf = memo((document: JsonObject) => Buffer.from(JSON.stringify(document, null, 2)));
  const hashOf = memo((bytes: Buffer) => contentHash(bytes));
  const encodedBy = memo((encoder: Encoder) => memo((document: JsonObject) => encoder.document(document)));
  const plain = (context: RequestContext, document: JsonObject, { encoders = allEncoders, unrouted = false }: PlainOptions = {}): true => {
    const { encoder } = negotiateAccept(context.request.headers.accept ?? '', context.query, {
      collection: false,
      stream: false,
      plainOnly: true,
      unrouted,
      pretty: isForPeople(context),
      encoders,
    });
    sendShared(context, 200, encoder.mediaType, encodedBy(encoder)(document));
    return true;
  };
  /** Documents other than API objects are indented JSON, whatever the client accepts. */
  const json = (context: RequestContext, document: JsonObject): true => {
    sendShared(context, 200, 'application/json', laidOutBytesOf(document));
    return true;
  };
  /** The hash as entity tag saves clients repeated downloads. */
  const cacheable = (context: RequestContext, document: JsonObject): true => {
    const bytes = bytesOf(document);
    const hash = hashOf(bytes);
    context.response.setHeader('vary', 'Accept');
    context.response.setHeader('cache-control', 'public');
    if (!redirected(context, hash, `${context.info.path}?hash=${hash}`) && !notModified(context, hash))
      sendShared(context, 200, aggregatedType, bytes);
    return true;
  };
  return { plain, json, cacheable };
}

function presentDocuments(options: DiscoveryOptions) {
  const { catalogue } = options;
  return documentsOf(catalogue, options.groups ?? ownGroups(catalogue), (served, groups) => ({
    core: { plain: coreVersions(served, options.serverAddress ?? ''), aggregated: aggregatedCore(served) },
    named: { plain: groupList(groups), aggregated: aggregatedGroups(groups, served) },
    paths: { paths: rootPaths(options, groups) },
    groups: new Map(groups.map((group) => [group.name, groupDocument(group)])),
    lists: new Map(
      served.groups.flatMap((group) =>
        group.versions.map((each) => [
          apiVersionOf({ group: group.name, version: each.version }),
          resourceList(group.name, each, options.versionHashes ?? true),
        ]),
      ),
    ),
  }));
}

function ownGroups(catalogue: Catalogue): () => readonly ListedGroup[] {
  let made: { readonly of: Catalogue['groups']; readonly groups: readonly ListedGroup[] } | null = null;
  return () => {
    const { groups } = catalogue;
    if (made?.of !== groups) made = { of: groups, groups: listedGroups([], groups, new Map()) };
    return made.groups;
  };
}

/** Caches documents of served resources; a change rebuilds them on request. */
function documentsOf<T>(
  catalogue: Catalogue,
  listed: () => readonly ListedGroup[],
  make: (catalogue: Catalogue, listed: readonly ListedGroup[]) => T,
): () => T {
  let made: { readonly of: Catalogue['groups']; readonly listed: readonly ListedGroup[]; readonly documents: T } | null = null;
  return () => {
    const { groups } = catalogue;
    const present = listed();
    if (made?.of !== groups || made.listed !== present) made = { of: groups, listed: present, documents: make(catalogue, present) };
    return made.documents;
  };
}

const onlyGet = ({ request }: RequestContext): true => {
  if (request.method !== 'GET') throw methodNotAllowed();
  return true;
};

/** Accepts JSON with any parameters, and nothing else. */
const onlyJson = ({ request }: RequestContext): true => {
  const accept = (request.headers.accept ?? '') || '*/*';
  if (accept.split(',').some((entry) => ['*/*', jsonType].includes((entry.split(';')[0] ?? '').trim()))) return true;
  throw notAcceptable([jsonType]);
};

const jsonType = 'application/json';

/** Caches by document. */
function memo<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, V>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = make(key)));
    return value;
  };
}

const isAggregatedEntry = (entry: string): boolean => /;\s*as=APIGroupDiscoveryList\b/.test(entry);

const noPeers: readonly PeerGroups[] = [];
const nobody = (): readonly PeerGroups[] => noPeers;

/** Merges peers' resources into a document; a change of either rebuilds it on request. */
function mergedDocuments(peers: () => readonly PeerGroups[]): (own: JsonObject) => JsonObject {
  let made: { readonly of: JsonObject; readonly peers: readonly PeerGroups[]; readonly document: JsonObject } | null = null;
  return (own) => {
    const others = peers();
    if (others.length === 0) return own;
    if (made?.of !== own || made.peers !== others) made = { of: own, peers: others, document: withPeerGroups(own, others) };
    return made.document;
  };
}

/** The first acceptable entry decides; aggregated forms need version v2. Null for a plain document; `own` excludes peers. */
function aggregatedWanted({ request }: RequestContext): 'own' | 'merged' | null {
  for (const entry of (request.headers.accept ?? '').split(',')) {
    const parts = entry.split(';').map((part) => part.trim());
    if (isAggregatedEntry(entry)) {
      if (parts.includes('g=apidiscovery.k8s.io') && parts.includes('v=v2')) return parts.includes('profile=nopeer') ? 'own' : 'merged';
    } else if (parts[0] === 'application/json' || parts[0] === '*/*') return null;
  }
  return null;
}

function rootPaths({ catalogue, otherPaths = [] }: DiscoveryOptions, groups: readonly ListedGroup[]): string[] {
  const core = catalogue.group('')?.versions.map(({ version }) => `/api/${version}`) ?? [];
  const named = groups.flatMap(({ name, versions }) => [`/apis/${name}`, ...versions.map((version) => `/apis/${name}/${version}`)]);
  return [
    ...new Set([...(core.length === 0 ? [] : ['/api', ...core]), ...named, '/apis', '/apis/', ...otherRootPaths, ...otherPaths]),
  ].sort();
}

const versionDocument = ({ build, emulatedMinor = Number(minor) }: DiscoveryOptions): JsonObject => ({
  major: major,
  minor: minor,
  emulationMajor: major,
  emulationMinor: String(emulatedMinor),
  minCompatibilityMajor: major,
  minCompatibilityMinor: String(emulatedMinor - 1),
  gitVersion: `v${major}.${minor}.0`,
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
  ...build,
});
