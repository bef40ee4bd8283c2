import type { ApiObject, JsonObject } from '../../api/object.js';
import type { User } from '../../api/user.js';
import type { RequestInfo } from '../../api/requestInfo.js';
import { objectAt, objectsIn } from '../../api/json/defaulting.js';
import { itemsOf, textAt } from '../../api/json/members.js';

/** A schema compiled for matching: its requests, and their flows. */
export interface Schema {
  readonly name: string;
  readonly uid: string;
  readonly precedence: number;
  readonly level: string;
  readonly distinguisher: 'ByUser' | 'ByNamespace' | null;
  readonly rules: readonly Rule[];
}

interface Rule {
  readonly subjects: (user: User) => boolean;
  readonly matches: (info: RequestInfo) => boolean;
}

export interface LevelSettings {
  readonly name: string;
  readonly uid: string;
  readonly exempt: boolean;
  readonly shares: number;
  readonly lendablePercent: number;
  /** Null for no limit. */
  readonly borrowingPercent: number | null;
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthMax: number;
}

const all = '*';
const anyOf = (values: readonly string[]): ((value: string) => boolean) => {
  if (values.includes(all)) return () => true;
  const set = new Set(values);
  return (value) => set.has(value);
};
const texts = (object: JsonObject, member: string): string[] => itemsOf(object[member]).map(String);

export function schemaOf(object: ApiObject): Schema {
  const spec = objectAt(object, 'spec') ?? {};
  const distinguisher = textAt(objectAt(spec, 'distinguisherMethod') ?? {}, 'type');
  return {
    name: object.metadata.name ?? '',
    uid: object.metadata.uid ?? '',
    precedence: Number(spec['matchingPrecedence'] ?? 0),
    level: textAt(objectAt(spec, 'priorityLevelConfiguration') ?? {}, 'name'),
    distinguisher: distinguisher === 'ByUser' || distinguisher === 'ByNamespace' ? distinguisher : null,
    rules: objectsIn(spec, 'rules').map(ruleOf),
  };
}

function ruleOf(rule: JsonObject): Rule {
  const subjects = objectsIn(rule, 'subjects').map(subjectOf);
  const resources = objectsIn(rule, 'resourceRules').map(resourceRuleOf);
  const others = objectsIn(rule, 'nonResourceRules').map(nonResourceRuleOf);
  return {
    subjects: (user) => subjects.some((matches) => matches(user)),
    matches: (info) => (info.isResource ? resources : others).some((matches) => matches(info)),
  };
}

function subjectOf(subject: JsonObject): (user: User) => boolean {
  const holder = (member: string): JsonObject => objectAt(subject, member) ?? {};
  switch (textAt(subject, 'kind')) {
    case 'User': {
      const name = textAt(holder('user'), 'name');
      return (user) => name === all || user.name === name;
    }
    case 'Group': {
      const name = textAt(holder('group'), 'name');
      return (user) => name === all || user.groups.includes(name);
    }
    case 'ServiceAccount': {
      const { namespace = '', name = '' } = holder('serviceAccount') as { namespace?: string; name?: string };
      const prefix = `system:serviceaccount:${namespace}:`;
      return (user) => (name === all ? user.name.startsWith(prefix) : user.name === `${prefix}${name}`);
    }
    default:
      return () => false;
  }
}

function resourceRuleOf(rule: JsonObject): (info: RequestInfo) => boolean {
  const [verbs, groups, resources] = ['verbs', 'apiGroups', 'resources'].map((member) => anyOf(texts(rule, member)));
  const namespaces = texts(rule, 'namespaces');
  const inNamespace = anyOf(namespaces);
  const clusterScope = rule['clusterScope'] === true;
  return (info) =>
    info.isResource &&
    verbs!(info.verb) &&
    groups!(info.group) &&
    resources!(info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`) &&
    (info.namespace === '' ? clusterScope : inNamespace(info.namespace));
}

function nonResourceRuleOf(rule: JsonObject): (info: RequestInfo) => boolean {
  const verbs = anyOf(texts(rule, 'verbs'));
  const urls = texts(rule, 'nonResourceURLs');
  return (info) =>
    !info.isResource && verbs(info.verb) && urls.some((url) => url === all || url === info.path || info.path.startsWith(folderOf(url)));
}

/** A path covers those below it, with or without a star at its end (flowcontrol/rule.go). */
const folderOf = (url: string): string => url.replace(/\*$/, '').replace(/(?<!\/)$/, '/');

export function levelOf(object: ApiObject): LevelSettings {
  const spec = objectAt(object, 'spec') ?? {};
  const exempt = textAt(spec, 'type') === 'Exempt';
  const part = objectAt(spec, exempt ? 'exempt' : 'limited') ?? {};
  const response = objectAt(part, 'limitResponse') ?? {};
  const queuing = objectAt(response, 'queuing');
  const queued = !exempt && textAt(response, 'type') === 'Queue' && queuing !== null;
  return {
    name: object.metadata.name ?? '',
    uid: object.metadata.uid ?? '',
    exempt,
    shares: Number(part['nominalConcurrencyShares'] ?? (exempt ? 0 : 30)),
    lendablePercent: Number(part['lendablePercent'] ?? 0),
    borrowingPercent: part['borrowingLimitPercent'] === undefined ? null : Number(part['borrowingLimitPercent']),
    queues: queued ? Number(queuing['queues'] ?? 64) : 0,
    handSize: queued ? Number(queuing['handSize'] ?? 8) : 0,
    queueLengthMax: queued ? Number(queuing['queueLengthLimit'] ?? 50) : 0,
  };
}

/** Finds the first match by precedence, then name; cached by user object, shared with later requests. */
export class Classifier {
  readonly #schemas: readonly Schema[];
  readonly #ofUser = new WeakMap<User, readonly (readonly [Schema, Rule])[]>();

  constructor(schemas: readonly Schema[]) {
    this.#schemas = [...schemas].sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
  }

  classify(info: RequestInfo, user: User): Schema | null {
    for (const [schema, rule] of this.#rulesFor(user)) if (rule.matches(info)) return schema;
    return null;
  }

  #rulesFor(user: User): readonly (readonly [Schema, Rule])[] {
    const known = this.#ofUser.get(user);
    if (known !== undefined) return known;
    const found = this.#schemas.flatMap((schema) =>
      schema.rules.filter(({ subjects }) => subjects(user)).map((rule) => [schema, rule] as const),
    );
    this.#ofUser.set(user, found);
    return found;
  }
}

export function flowOf({ name, distinguisher }: Schema, info: RequestInfo, user: User): string {
  if (distinguisher === 'ByUser') return `${name}\0${user.name}`;
  if (distinguisher === 'ByNamespace') return `${name}\0${info.isResource ? info.namespace : ''}`;
  return name;
}
