import { accessSync, constants, statSync } from 'node:fs';
import type { FlagTable } from './flag.js';

function filesRead(table: FlagTable, options: Readonly<Record<string, unknown>>): readonly (readonly [option: string, file: string])[] {
  return Object.entries(table).flatMap(([option, { value, notRead = false }]) => {
    if (notRead || value === undefined || !/^file\b/.test(value)) return [];
    const setting = options[option];
    const files: readonly unknown[] = Array.isArray(setting) ? setting : [setting];
    return files.flatMap((file) => (typeof file === 'string' && file !== '' ? [[option, file] as const] : []));
  });
}

/** Reports all unreadable files at the start. Checks access only, since some files can be read only once. */
export function unreadableFiles(table: FlagTable, options: Readonly<Record<string, unknown>>): readonly string[] {
  return filesRead(table, options).flatMap(([option, file]) => {
    const reason = reasonAgainst(file);
    return reason === null ? [] : [`--${option}: ${file} cannot be read: ${reason}`];
  });
}

function reasonAgainst(file: string): string | null {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isDirectory() ? 'it is a directory' : null;
  } catch (error) {
    return (error as Error).message;
  }
}
