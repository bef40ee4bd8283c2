import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { parse } from 'yaml';
import { withEnums } from './enums.js';
import type { EnumFacts, Facts, FieldFacts, ResourceFacts, SubresourceFacts, TypeDescription, TypeFacts, VersionFacts } from './facts.js';

/** Throws an error with file and entry for an unknown key or value. */
export function readFacts(folder: string): Facts {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.split(sep).join('/'))
    .sort();
  const read = (file: string): unknown => parse(readFileSync(join(folder, file), 'utf8')) as unknown;
  const versions = new Map<string, VersionFacts>();
  const descriptions = new Map<string, TypeDescription>();
  const bootstrap = new Map<string, readonly unknown[]>();
  let enums: Readonly<Record<string, EnumFacts>> = {};
  for (const file of files) {
    const [, group, name = ''] = /^(?:(.*)\/)?([^/]+)\.yaml$/.exec(file) ?? [];
    if (name === 'descriptions') addDescriptions(descriptions, group, read(file) as Readonly<Record<string, TypeDescription>>);
    else if (file === 'enums.yaml') enums = read(file) as typeof enums;
    else if (group === 'bootstrap') bootstrap.set(name, read(file) as readonly unknown[]);
    else if (group?.startsWith('bootstrap/') !== true && file !== 'metrics.yaml')
      versions.set(group === undefined ? name : `${group}/${name}`, checked(file, read(file) as VersionFacts));
  }
  return { versions: withEnums(versions, enums), descriptions, bootstrap, enums };
}

function addDescriptions(
  all: Map<string, TypeDescription>,
  group: string | undefined,
  types: Readonly<Record<string, TypeDescription>>,
): void {
  for (const [type, description] of Object.entries(types)) all.set(group === undefined ? type : `${group}.${type}`, description);
}

type Keys<T> = Readonly<Record<keyof Required<T>, true>>;
const versionKeys: Keys<VersionFacts> = {
  group: true,
  version: true,
  package: true,
  served: true,
  preferred: true,
  resources: true,
  types: true,
  messages: true,
};
const typeKeys: Keys<TypeFacts> = {
  kind: true,
  kindIn: true,
  json: true,
  protobuf: true,
  mapType: true,
  unions: true,
  package: true,
  fields: true,
};
const fieldKeys: Keys<FieldFacts> = {
  type: true,
  proto: true,
  protoName: true,
  protoType: true,
  inline: true,
  required: true,
  presence: true,
  default: true,
  enum: true,
  listType: true,
  listMapKeys: true,
  mapType: true,
  patchStrategy: true,
  patchMergeKey: true,
};
const resourceKeys: Keys<ResourceFacts> = {
  kind: true,
  singular: true,
  scope: true,
  shortNames: true,
  categories: true,
  verbs: true,
  subresources: true,
  columns: true,
};
const subresourceKeys: Keys<SubresourceFacts> = { kind: true, of: true, verbs: true };

function checked(file: string, facts: VersionFacts): VersionFacts {
  refuseOthers(file, facts, versionKeys);
  for (const [name, type] of [...Object.entries(facts.types ?? {}), ...Object.entries(facts.messages ?? {})]) {
    refuseOthers(`${file}: ${name}`, type, typeKeys);
    for (const [member, field] of Object.entries(type.fields ?? {})) refuseOthers(`${file}: ${name}.${member}`, field, fieldKeys);
    refuseTwice(`${file}: ${name}`, type);
  }
  for (const [name, resource] of Object.entries(facts.resources ?? {})) {
    refuseOthers(`${file}: ${name}`, resource, resourceKeys);
    for (const [sub, entry] of Object.entries(resource.subresources ?? {})) refuseOthers(`${file}: ${name}/${sub}`, entry, subresourceKeys);
  }
  return facts;
}

function refuseOthers(where: string, entry: object, known: Readonly<Record<string, true>>): void {
  const wrong = Object.keys(entry).find((key) => !Object.hasOwn(known, key));
  if (wrong !== undefined) throw new Error(`${where}: ${wrong} is not one of ${Object.keys(known).join(', ')}`);
}

/** A Protobuf number is never reused. */
function refuseTwice(where: string, { fields = {} }: TypeFacts): void {
  const seen = new Map<number, string>();
  for (const [member, { proto }] of Object.entries(fields)) {
    if (proto === undefined) continue;
    if (seen.has(proto)) throw new Error(`${where}: ${member} and ${seen.get(proto) ?? ''} both have the Protobuf number ${proto}`);
    seen.set(proto, member);
  }
}
