import fs from 'node:fs';

/** Returns FlexVolume drivers below a directory, as `vendor~driver`; none where there is no such directory. */
export function flexDriversIn(directory: string): readonly string[] {
  try {
    return fs.readdirSync(directory).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}
