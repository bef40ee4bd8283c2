import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Compiled code runs from a different directory than the data. */
const packageRoot = (from: string): string => {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error("no package.json above the server's code: the installation is incomplete");
  return packageRoot(parent);
};

const packageFile = (...path: readonly string[]): string => join(packageRoot(dirname(fileURLToPath(import.meta.url))), ...path);

/** Parses `api/data/NAME.json`, which is generated from `api/facts` and committed; the caller knows its shape. */
export const readCatalogueData = <T>(name: string): T => JSON.parse(readFileSync(packageFile('api', 'data', `${name}.json`), 'utf8')) as T;

/** Returns the objects that every cluster has (`server/seed`). */
export const readSeed = (): string => readFileSync(packageFile('api', 'seed', 'objects.json'), 'utf8');
