import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { User } from '../../../api/user.js';
import { parseCsv } from './csv.js';

/** Stores and compares digests of tokens, so that timing reveals nothing. */
export type StaticTokens = (token: string) => User | null;

const option = '--token-auth-file';
const columnsMin = 3;

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');

/** Receives the number of a row without a token, which is left out, and of one with an earlier row's token, which it replaces. */
export type RowWarning = (what: 'empty' | 'duplicate', row: number) => void;

/** Reads rows of `token,user,uid,"group1,group2"` (token/tokenfile/tokenfile.go). Throws with file and row, never with a token. */
export function readStaticTokens(file: string, warn: RowWarning = () => undefined): StaticTokens {
  const users = new Map<string, User>();
  rowsOf(file).forEach((row, index) => {
    const [token = '', name = '', uid = '', groups = ''] = row;
    const where = `${option}: row ${index + 1} of ${file}`;
    if (row.length < columnsMin)
      throw new Error(`${where} has ${row.length} columns; it needs a token, a user and a uid, and may list groups`);
    if (token === '') {
      warn('empty', index + 1);
      return;
    }
    if (name === '') throw new Error(`${where} has an empty user`);
    if (users.has(digest(token))) warn('duplicate', index + 1);
    // Blanks belong to names.
    users.set(digest(token), { name, uid, groups: groups.split(',').filter((group) => group !== ''), extra: {} });
  });
  return (token) => users.get(digest(token)) ?? null;
}

function rowsOf(file: string): string[][] {
  try {
    return parseCsv(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${option}: cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
}
