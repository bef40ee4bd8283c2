import fs from 'node:fs';
import path from 'node:path';

/** Returns the files of YAML and JSON below a folder, sorted, or the file itself. Throws when there is no such file. */
export function manifestFilesIn(place: string): string[] {
  if (!fs.statSync(place).isDirectory()) return [place];
  return fs
    .readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}
