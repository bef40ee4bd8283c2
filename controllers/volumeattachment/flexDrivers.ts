import fs from 'node:fs';

/** Returns FlexVolume drivers in a directory, as `vendor~driver`; none if it does not exist. */
export function flexDriversIn(directory: string): readonly string[] {
  try {
    return fs.readdirSync(directory).filter((name) => !name.startsWith('.'));
  } catch {
    return [];
  }
}
