import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiType } from '../catalogue/types.js';

/**
 * Short texts for `kubectl explain` and generated documentation. They are kept by the name of a type without its version (`core.Pod`), so
 * that all versions share them; `*.NAME` describes a member in every type that does not describe it otherwise.
 */
interface Descriptions {
  readonly types: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
}

let data: Descriptions | undefined;

const packageRoot = (from: string): string => {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error('no package.json above the server\'s code: the installation is incomplete');
  return packageRoot(parent);
};

const descriptions = (): Descriptions =>
  (data ??= JSON.parse(readFileSync(join(packageRoot(dirname(fileURLToPath(import.meta.url))), 'server', 'openapi', 'descriptions.json'), 'utf8')) as Descriptions);

const versionless = (name: string): string => name.replace(/\.v\d\w*\./, '.');
const lastWord = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** What is said of a whole family of types. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [[/^(\w+)List$/, 'A list of objects of kind %.'], [/^(\w+)Spec$/, 'What is wanted of %.'], [/^(\w+)Status$/, 'What is known of the present state of %.']];

export function descriptionOfType({ name }: ApiType): string | null {
  const known = descriptions().types[versionless(name)];
  if (known !== undefined) return known;
  for (const [pattern, text] of FAMILIES) {
    const [, subject] = pattern.exec(lastWord(name)) ?? [];
    if (subject !== undefined) return text.replace('%', subject);
  }
  return null;
}

export function descriptionOfField({ name }: ApiType, field: string): string | null {
  const { fields } = descriptions();
  return fields[`${versionless(name)}.${field}`] ?? fields[`*.${field}`] ?? null;
}
