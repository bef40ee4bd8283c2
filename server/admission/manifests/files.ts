import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { createHash } from 'node:crypto';
import { isObject } from '../../../api/json/json.js';
import { yamlCodec } from '../../../workers/codecs/yaml.js';
import type { JsonObject } from '../../../api/object.js';

export interface ManifestDocument {
  readonly file: string;
  readonly value: JsonObject;
}

export interface ManifestFolder {
  /** Sorted by file name; in a file, documents keep their order. */
  readonly documents: readonly ManifestDocument[];
  /** Hash of everything read, `sha256:...`; empty without files. */
  readonly hash: string;
}

const extensions: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);
const depthMax = 50;
/** A separator has its own line, possibly with a comment. */
const separator = /^---(?:[ \t].*)?$/m;

/** Returns files directly in the folder by extension, sorted. Throws when the folder is unreadable. */
export const manifestFiles = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => extensions.has(path.extname(name).toLowerCase()))
    .sort()
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());

export function readManifestFolder(folder: string): ManifestFolder {
  const hash = createHash('sha256');
  const documents: ManifestDocument[] = [];
  let isEmpty = true;
  for (const file of manifestFiles(folder)) {
    const bytes = readFileSync(file);
    if (bytes.length === 0) continue;
    isEmpty = false;
    hash.update(bytes).update('\0');
    for (const text of bytes.toString('utf8').split(separator)) documents.push(...documentsIn(text, file));
  }
  return { documents, hash: isEmpty ? '' : `sha256:${hash.digest('hex')}` };
}

/** Returns none where there are only comments. */
function documentsIn(text: string, file: string): readonly ManifestDocument[] {
  if (text.trim() === '') return [];
  const result = yamlCodec.decode(Buffer.from(text), { findDuplicates: true, depthMax });
  if (!result.ok) throw new Error(`${file} is not YAML: ${result.message}`);
  if (result.value === null) return [];
  const [duplicate] = result.duplicates;
  if (duplicate !== undefined) throw new Error(`${file}: ${duplicate}`);
  if (!isObject<JsonObject>(result.value)) throw new Error(`${file} must hold objects`);
  return [{ file, value: result.value }];
}
