import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory with package.json above this file: compiled code runs from another directory than the one where data lies. */
const packageRoot = (from: string): string => {
  if (existsSync(join(from, 'package.json'))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error("no package.json above the server's code: the installation is incomplete");
  return packageRoot(parent);
};

/** A file of the package, by its path below the package's root. */
const packageFile = (...path: readonly string[]): string => join(packageRoot(dirname(fileURLToPath(import.meta.url))), ...path);

/** Parses `api/data/NAME.json`. The caller knows its shape: the file is generated from `api/facts` and part of the repository. */
export const readCatalogueData = <T>(name: string): T => JSON.parse(readFileSync(packageFile('api', 'data', `${name}.json`), 'utf8')) as T;

/** The text of what every cluster has (`server/seed`). */
export const readSeed = (): string => readFileSync(packageFile('api', 'seed', 'objects.json'), 'utf8');
