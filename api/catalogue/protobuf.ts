import { readCatalogueData } from './data.js';
import { parsePresence, parseShape, type KindName, type Presence, type Shape } from './types.js';

/**
 * The Protobuf messages of the built-in types. Data: `api/data/protobuf.json`, written by `npm run generate`, parsed on first use.
 * There are more messages than types: versions that are no longer served can still be read.
 */
export interface MessageField {
  readonly number: number;
  /** The JSON member. For an inlined message, the name of the Protobuf field, which JSON does not show. */
  readonly name: string;
  readonly shape: Shape;
  readonly presence: Presence;
  /** The members of this message stand directly in the parent's JSON object. */
  readonly inline: boolean;
}

export interface Message {
  readonly name: string;
  /** By rising number, the order in which they are written. */
  readonly fields: readonly MessageField[];
}

const field = /^(\d+) (\S+) (\.\.\.)?([^=!~]+)([=!~]?)$/;
/** The package of a group is its first label, but for this one. */
const packages: Readonly<Record<string, string>> = { '': 'core', 'internal.apiserver.k8s.io': 'apiserverinternal' };

let data: Readonly<Record<string, string>> | undefined;
const expanded = new Map<string, Message | undefined>();

/** The message with that short name, or undefined. */
export const messageNamed = (name: string): Message | undefined => {
  if (!expanded.has(name)) expanded.set(name, expand(name));
  return expanded.get(name);
};

/** The message of a kind. Kinds of the meta group (`DeleteOptions`, `Status`) exist in every group version. */
export const messageOfKind = ({ group, version, kind }: KindName): Message | undefined =>
  messageNamed(`${packages[group] ?? group.split('.')[0]}.${version}.${kind}`) ?? messageNamed(`meta.v1.${kind}`);

const allMessages = (): Readonly<Record<string, string>> => (data ??= readCatalogueData<Record<string, string>>('protobuf'));

const expand = (name: string): Message | undefined => {
  const text = Object.hasOwn(allMessages(), name) ? allMessages()[name] : undefined;
  return text === undefined ? undefined : { name, fields: text.split(';').filter(Boolean).map(expandField) };
};

const expandField = (text: string): MessageField => {
  const [, number = '', name = '', inline, shape = '', presence = ''] = field.exec(text) ?? [];
  return { number: Number(number), name, shape: parseShape(shape), presence: parsePresence(presence), inline: inline !== undefined };
};
