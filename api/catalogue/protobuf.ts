import { readCatalogueData } from './data.js';
import { parsePresence, parseShape, type KindName, type Presence, type Shape } from './types.js';

/**
 * The Protobuf messages of the built-in types, from `api/data/protobuf.json` (generated, parsed on first use). Messages of versions that are no longer served
 * remain, so that they can be read.
 */
export interface MessageField {
  readonly number: number;
  /** The JSON member; for an inlined message the Protobuf field. */
  readonly name: string;
  readonly shape: Shape;
  readonly presence: Presence;
  /** If true, its members stand in the parent's JSON object. */
  readonly inline: boolean;
}

export interface Message {
  readonly name: string;
  /** Ordered by number, as they are written. */
  readonly fields: readonly MessageField[];
}

const field = /^(\d+) (\S+) (\.\.\.)?([^=!~]+)([=!~]?)$/;
const packages: Readonly<Record<string, string>> = { '': 'core', 'internal.apiserver.k8s.io': 'apiserverinternal' };

let data: Readonly<Record<string, string>> | undefined;
const expanded = new Map<string, Message | undefined>();

export const messageNamed = (name: string): Message | undefined => {
  if (!expanded.has(name)) expanded.set(name, expand(name));
  return expanded.get(name);
};

/** Kinds of the meta group (`DeleteOptions`, `Status`) exist in every group version. */
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
