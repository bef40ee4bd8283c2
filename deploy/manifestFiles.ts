import fs from 'node:fs';
import path from 'node:path';

/** Returns the YAML and JSON files below a folder, sorted, or the file itself. Throws when it does not exist. */
export function manifestFilesIn(place: string): string[] {
  if (!fs.statSync(place).isDirectory()) return [place];
  return fs
    .readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}
