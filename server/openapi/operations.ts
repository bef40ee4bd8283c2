import type { GroupVersion } from '../../api/resource.js';
import { typeOfKind, type KindName } from '../../api/catalogue/types.js';
import type { ResourceNames, ServedGroup, Subresource } from '../registry/resources.js';
import { definedName } from './definedTypes.js';
import { builtInMedia, definedMedia, type Answer, type Media } from './media.js';
import { definedVerbParameters, optionParameters, pathParameters, pretty, verbParameters, type Parameter } from './parameters.js';

/** Operations by path for both OpenAPI versions. Pure. */
export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';

export interface Operation {
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  /** The value of `x-kubernetes-action`; null for documents about the API. */
  readonly action: string | null;
  readonly kind: KindName | null;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly type: string; readonly required: boolean } | null;
  /** Success codes with their types; null for text. */
  readonly answers: readonly (readonly [code: number, type: string | null])[];
  readonly takes: readonly string[];
  /** Media types of the responses. */
  readonly gives: readonly string[];
}

export interface PathEntry {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}

/** Returns whether the deletion of a type returns the object, not a status. */
export type AnswersObject = (resource: ResourceNames) => boolean;

const meta = 'meta.v1.';
const status = `${meta}Status`;
const watchEvent = `${meta}WatchEvent`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** `rbac.authorization.k8s.io` becomes `rbacAuthorization`, the core group `core`. */
const groupWord = (group: string): string =>
  group === '' ? 'core' : group.replace(/\.k8s\.io$/, '').replace(/[.-](\w)/g, (_, letter: string) => letter.toUpperCase());
const tagOf = ({ group, version }: GroupVersion): string => `${groupWord(group)}_${version}`;
const scopeWord = (groupVersion: GroupVersion): string => `${capital(groupWord(groupVersion.group))}${capital(groupVersion.version)}`;

export const rootOf = ({ group, version }: GroupVersion): string => (group === '' ? `api/${version}` : `apis/${group}/${version}`);

/** Custom kinds have their own names. */
const typeName = (kind: KindName): string => typeOfKind(kind)?.name ?? definedName(kind);
const bodyKind = ({ group, version, kind }: KindName): KindName => ({ group, version, kind });

interface VerbRow {
  readonly method: Method;
  readonly word: string;
  readonly action: string;
  readonly says: string;
  readonly body: 'object' | 'patch' | 'options' | null;
  readonly codes: readonly number[];
}

const verbs: Readonly<Record<string, VerbRow>> = {
  list: {
    method: 'get',
    word: 'list',
    action: 'list',
    says: 'Lists objects of kind %, or follows their changes.',
    body: null,
    codes: [200],
  },
  create: { method: 'post', word: 'create', action: 'post', says: 'Creates an object of kind %.', body: 'object', codes: [200, 201, 202] },
  deletecollection: {
    method: 'delete',
    word: 'delete',
    action: 'deletecollection',
    says: 'Removes all selected objects of kind %.',
    body: 'options',
    codes: [200],
  },
  get: { method: 'get', word: 'read', action: 'get', says: 'Reads an object of kind %.', body: null, codes: [200] },
  update: { method: 'put', word: 'replace', action: 'put', says: 'Replaces an object of kind %.', body: 'object', codes: [200, 201] },
  patch: {
    method: 'patch',
    word: 'patch',
    action: 'patch',
    says: 'Changes parts of an object of kind %.',
    body: 'patch',
    codes: [200, 201],
  },
  delete: { method: 'delete', word: 'delete', action: 'delete', says: 'Removes an object of kind %.', body: 'options', codes: [200, 202] },
};

/** Documentation options for a class of resources. */
interface Manner {
  readonly media: Media;
  readonly parameters: Readonly<Record<string, readonly Parameter[]>>;
  /** Verbs that differ from the usual ones. */
  readonly verbs: Readonly<Record<string, Partial<VerbRow>>>;
  /** Includes the older watch paths and the resource list. */
  readonly complete: boolean;
}

const builtInManner: Manner = { media: builtInMedia, parameters: verbParameters, verbs: {}, complete: true };
/** The reference builds these with other code (`builder.go` of apiextensions-apiserver). */
const definedManner: Manner = {
  media: definedMedia,
  parameters: definedVerbParameters,
  verbs: { deletecollection: { body: null }, patch: { codes: [200] } },
  complete: false,
};
const isDefined = (resource: KindName): boolean => typeOfKind(resource) === undefined;
const mannerOf = (resource: KindName): Manner => (isDefined(resource) ? definedManner : builtInManner);

const collectionVerbs = ['list', 'create', 'deletecollection'];
const objectVerbs = ['get', 'update', 'patch', 'delete'];

const isConnection = ({ kind }: Subresource): boolean => kind.endsWith('Options');
/** The subresource that forwards any request, to any path below. */
const proxy = 'proxy';
const proxyMethods: readonly Method[] = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put'];
const connectMethods: Readonly<Record<string, Method>> = { get: 'get', create: 'post' };
/** Subresources that return text, with their options in the query. */
const textSubresources: Readonly<Record<string, string>> = { log: 'core.v1.PodLogOptions' };

/** Everything below one group version, its own document first. */
export function pathsOfVersion(
  { name: group }: ServedGroup<ResourceNames>,
  version: string,
  resources: readonly ResourceNames[],
  answersObject: AnswersObject,
): PathEntry[] {
  const groupVersion = { group, version };
  const own = resources.every(isDefined) ? [] : [versionPath(groupVersion)];
  return [...own, ...resources.flatMap((resource) => pathsOfResource(resource, answersObject))];
}

const versionPath = (groupVersion: GroupVersion): PathEntry =>
  documentPath(`/${rootOf(groupVersion)}/`, {
    id: `get${scopeWord(groupVersion)}APIResources`,
    description: 'Tells which resources there are.',
    type: `${meta}APIResourceList`,
    tag: tagOf(groupVersion),
  });

const pathsOfResource = (resource: ResourceNames, answersObject: AnswersObject): PathEntry[] => {
  const root = `/${rootOf(resource)}`;
  const below = resource.namespaced ? '/namespaces/{namespace}' : '';
  const collection = `${below}/${resource.resource}`;
  const all =
    resource.namespaced && resource.verbs.has('list')
      ? [entry(`${root}/${resource.resource}`, [verbOperation(resource, 'list', { acrossNamespaces: true })])]
      : [];
  return [
    ...all,
    entry(
      `${root}${collection}`,
      collectionVerbs.filter((verb) => resource.verbs.has(verb)).map((verb) => verbOperation(resource, verb)),
    ),
    entry(
      `${root}${collection}/{name}`,
      objectVerbs
        .filter((verb) => resource.verbs.has(verb))
        .map((verb) => verbOperation(resource, verb, { answersObject: answersObject(resource) })),
    ),
    ...[...resource.subresources.values()].flatMap((each) =>
      pathsOfSubresource(resource, each, `${root}${collection}/{name}/${each.name}`),
    ),
    ...(mannerOf(resource).complete ? watchPaths(resource, root, collection) : []),
  ].filter(({ operations }) => operations.length > 0);
};

function entry(path: string, operations: readonly Operation[]): PathEntry {
  const [first, ...others] = operations.map(({ parameters }) => parameters);
  const shared = new Set(
    (first ?? []).filter((each) => others.every((parameters) => parameters.some(({ name }) => name === each.name))).map(({ name }) => name),
  );
  return {
    path,
    operations: operations.map((each) => ({ ...each, parameters: each.parameters.filter(({ name }) => !shared.has(name)) })),
    parameters: inOrderOfNames([...pathParameters(path), ...pretty, ...(first ?? []).filter(({ name }) => shared.has(name))]),
  };
}

const inOrderOfNames = (parameters: readonly Parameter[]): Parameter[] =>
  [...parameters].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

const subjectOf = (resource: ResourceNames, acrossNamespaces = false): string =>
  `${resource.namespaced && !acrossNamespaces ? 'Namespaced' : ''}${resource.kind}`;

interface VerbOptions {
  readonly acrossNamespaces?: boolean;
  readonly answersObject?: boolean;
}

function verbOperation(
  resource: ResourceNames,
  verb: string,
  { acrossNamespaces = false, answersObject = false }: VerbOptions = {},
): Operation {
  const row = rowOf(verb, resource);
  const subject = `${verb === 'deletecollection' ? 'Collection' : ''}${subjectOf(resource, acrossNamespaces)}${acrossNamespaces ? 'ForAllNamespaces' : ''}`;
  const answered =
    verb === 'list'
      ? typeName({ ...resource, kind: resource.listKind })
      : row.action.startsWith('delete') && !answersObject
        ? status
        : typeName(resource);
  return {
    ...common(resource, verb, `${row.word}${scopeWord(resource)}${subject}`, bodyKind(resource)),
    answers: row.codes.map((code) => [code, answered] as const),
    gives: givenBy(resource, verb === 'list' ? 'stream' : 'object'),
  };
}

const givenBy = (resource: KindName, answer: Answer): readonly string[] => mannerOf(resource).media.answers[answer];

function rowOf(verb: string, resource: KindName): VerbRow {
  const row = verbs[verb];
  if (row === undefined) throw new Error(`verb ${verb} has no operation`);
  return { ...row, ...mannerOf(resource).verbs[verb] };
}

const bodies: Readonly<Record<'object' | 'patch' | 'options', (kind: KindName) => Operation['body']>> = {
  object: (kind) => ({ type: typeName(kind), required: true }),
  patch: () => ({ type: `${meta}Patch`, required: true }),
  options: () => ({ type: `${meta}DeleteOptions`, required: false }),
};

function common(owner: ResourceNames, verb: string, id: string, kind: KindName): Omit<Operation, 'answers' | 'gives'> {
  const { method, action, says, body } = rowOf(verb, owner);
  const { media, parameters } = mannerOf(owner);
  return {
    method,
    id,
    tag: tagOf(owner),
    action,
    kind,
    description: says.replace('%', kind.kind),
    parameters: parameters[verb] ?? [],
    body: body === null ? null : bodies[body](kind),
    takes: method === 'patch' ? media.patches : media.bodies,
  };
}

function pathsOfSubresource(resource: ResourceNames, subresource: Subresource, path: string): PathEntry[] {
  if (!isConnection(subresource))
    return [
      entry(
        path,
        Object.keys(verbs)
          .filter((verb) => subresource.verbs.has(verb))
          .map((verb) => subresourceOperation(resource, subresource, verb)),
      ),
    ];
  if (subresource.name !== proxy)
    return [
      connectEntry(
        path,
        resource,
        subresource,
        [...subresource.verbs].flatMap((verb) => connectMethods[verb] ?? []),
      ),
    ];
  return [
    connectEntry(path, resource, subresource, proxyMethods),
    connectEntry(`${path}${pathBelow}`, resource, subresource, proxyMethods),
  ];
}

function subresourceOperation(resource: ResourceNames, subresource: Subresource, verb: string): Operation {
  const row = rowOf(verb, resource);
  const options = textSubresources[subresource.name];
  const id = `${row.word}${scopeWord(resource)}${subjectOf(resource)}${capital(subresource.name)}`;
  const shared = {
    ...common(resource, verb, id, bodyKind(subresource)),
    description: row.says.replace('%', `${subresource.kind} (subresource ${subresource.name} of ${resource.kind})`),
  };
  if (options !== undefined)
    return { ...shared, parameters: optionParameters(options), answers: [[200, null]], gives: givenBy(resource, 'text') };
  return { ...shared, answers: row.codes.map((code) => [code, typeName(subresource)] as const), gives: givenBy(resource, 'object') };
}

const pathBelow = '/{path}';

const connectEntry = (path: string, resource: ResourceNames, subresource: Subresource, methods: readonly Method[]): PathEntry => ({
  path,
  parameters: inOrderOfNames([...pathParameters(path), ...optionParameters(`core.v1.${subresource.kind}`)]),
  operations: methods.map((method) => ({
    method,
    id: `connect${scopeWord(resource)}${capital(method)}${subjectOf(resource)}${capital(subresource.name)}${path.endsWith(pathBelow) ? 'WithPath' : ''}`,
    tag: tagOf(resource),
    action: 'connect',
    description: `Connects ${method.toUpperCase()} requests to ${subresource.name} of ${resource.kind}.`,
    kind: bodyKind(subresource),
    parameters: [],
    body: null,
    takes: builtInMedia.bodies,
    answers: [[200, null]],
    gives: builtInMedia.answers.any,
  })),
});

function watchPaths(resource: ResourceNames, root: string, collection: string): PathEntry[] {
  if (!resource.verbs.has('watch')) return [];
  const watch = (path: string, { subject, action }: { readonly subject: string; readonly action: string }): PathEntry =>
    entry(`${root}/watch${path}`, [
      {
        method: 'get',
        id: `watch${scopeWord(resource)}${subject}`,
        tag: tagOf(resource),
        action,
        kind: bodyKind(resource),
        parameters: verbParameters['watch'] ?? [],
        body: null,
        takes: builtInMedia.bodies,
        description: `Follows changes of ${resource.kind}. Deprecated: use the parameter "watch" of a list.`,
        answers: [[200, watchEvent]],
        gives: builtInMedia.answers.stream,
      },
    ]);
  return [
    ...(resource.namespaced
      ? [watch(`/${resource.resource}`, { subject: `${resource.kind}ListForAllNamespaces`, action: 'watchlist' })]
      : []),
    watch(collection, { subject: `${subjectOf(resource)}List`, action: 'watchlist' }),
    watch(`${collection}/{name}`, { subject: subjectOf(resource), action: 'watch' }),
  ];
}

interface DocumentWords extends Pick<Operation, 'id' | 'description' | 'tag'> {
  readonly type: string;
}

const documentPath = (path: string, { id, description, type, tag }: DocumentWords): PathEntry => ({
  path,
  parameters: [],
  operations: [
    {
      method: 'get',
      id,
      tag,
      description,
      action: null,
      kind: null,
      parameters: [],
      body: null,
      takes: builtInMedia.bodies,
      answers: [[200, type]],
      gives: builtInMedia.answers.object,
    },
  ],
});

const isDocumented = ({ name, versions }: ServedGroup<ResourceNames>): boolean =>
  name !== '' && !versions.every(({ resources }) => resources.every(isDefined));

const coreVersionsPath = documentPath('/api/', {
  id: 'getCoreAPIVersions',
  description: 'Tells which versions the core group has.',
  type: `${meta}APIVersions`,
  tag: 'core',
});
const groupsPath = documentPath('/apis/', {
  id: 'getAPIVersions',
  description: 'Tells which groups there are.',
  type: `${meta}APIGroupList`,
  tag: 'apis',
});
const serverVersionPath = documentPath('/version/', {
  id: 'getCodeVersion',
  description: 'Tells the version of the server.',
  type: 'version.Info',
  tag: 'version',
});
const groupPath = (name: string): PathEntry =>
  documentPath(`/apis/${name}/`, {
    id: `get${capital(groupWord(name))}APIGroup`,
    description: 'Tells which versions the group has.',
    type: `${meta}APIGroup`,
    tag: groupWord(name),
  });

/** API documents outside any group version, by OpenAPI name. */
export const rootDocuments = (groups: readonly ServedGroup<ResourceNames>[]): Map<string, PathEntry[]> =>
  new Map([
    ['api', [coreVersionsPath]],
    ['apis', [groupsPath]],
    ...groups.filter(isDocumented).map(({ name }): [string, PathEntry[]] => [`apis/${name}`, [groupPath(name)]]),
    ['version', [serverVersionPath]],
  ]);
