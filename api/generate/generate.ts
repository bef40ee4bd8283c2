import type { Facts, TypeDescription } from './facts.js';
import { interfaceFiles } from './interfaces.js';
import { byText, modelOf } from './model.js';
import { columnTable, groupRows, type GroupRow } from './resourceTables.js';
import { kindTable, messageTable, typeTable } from './typeTables.js';

export const generatedFolders = ['data', 'types'] as const;

/** Returns all generated text, by path below `api`. Pure and deterministic. */
export function generate(facts: Facts): Map<string, string> {
  const model = modelOf(facts);
  const files = new Map([
    ['data/types.json', table(typeTable(model))],
    ['data/protobuf.json', table(messageTable(model))],
    ['data/kinds.json', table(kindTable(model))],
    ['data/resources.json', groupText(groupRows(facts))],
    ['data/tables.json', table(columnTable(facts))],
    ['data/bootstrap.json', table([...facts.bootstrap].sort(([a], [b]) => byText(a, b)))],
    ['data/descriptions.json', descriptionText(facts.descriptions)],
    ['data/enums.ts', enumText(facts.enums)],
  ]);
  for (const [path, text] of interfaceFiles(facts, model)) files.set(`types/${path}`, text);
  return files;
}

/** One entry per line gives readable diffs. */
const table = (entries: readonly (readonly [string, unknown])[]): string =>
  `{\n${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',\n')}\n}\n`;

const lines = (entries: readonly unknown[]): string => entries.map((entry) => JSON.stringify(entry)).join(',\n');
const groupText = (rows: readonly GroupRow[]): string =>
  `[\n${rows
    .map(
      ({ name, versions }) =>
        `{ "name": ${JSON.stringify(name)}, "versions": [\n${versions
          .map(
            ({ version, servedByDefault, resources }) =>
              `  { "version": ${JSON.stringify(version)}, "servedByDefault": ${servedByDefault}, "resources": [\n${lines(resources)}] }`,
          )
          .join(',\n')}] }`,
    )
    .join(',\n')}\n]\n`;

const enumText = (enums: Facts['enums']): string =>
  [
    '// Generated from api/facts/enums.yaml by `npm run generate`: change it there.',
    ...Object.entries(enums).map(([name, { values }]) => `export const ${name} = [${values.map((value) => `'${value}'`).join(', ')}];`),
    '',
  ].join('\n');

/** Facts about members of all kinds are written `kind.NAME`, those of all types `*.NAME`. */
const families: Readonly<Record<string, string>> = { 'any kind': 'kind', 'any type': '*' };

function descriptionText(descriptions: ReadonlyMap<string, TypeDescription>): string {
  const types = [...descriptions].flatMap(([type, { description }]) => (description === undefined ? [] : [[type, description] as const]));
  const fields = [...descriptions].flatMap(([type, { fields: members = {} }]) =>
    Object.entries(members).map(([name, text]) => [`${families[type] ?? type}.${name}`, text] as const),
  );
  return `{\n"types": ${table(types).trimEnd()},\n"fields": ${table(fields).trimEnd()}\n}\n`;
}
