import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { User } from '../../../api/user.js';
import { parseCsv } from './csv.js';

/** Stores and compares digests of tokens, so that timing reveals nothing. */
export type StaticTokens = (token: string) => User | null;

const option = '--token-auth-file';
const columnsMin = 3;

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');

/** Reads rows of `token,user,uid,"group1,group2"`. Throws with file and row, never with a token. */
export function readStaticTokens(file: string): StaticTokens {
  const users = new Map(
    rowsOf(file).map((row, index) => {
      const [token = '', name = '', uid = '', groups = ''] = row;
      const where = `${option}: row ${index + 1} of ${file}`;
      if (row.length < columnsMin)
        throw new Error(`${where} has ${row.length} columns; it needs a token, a user and a uid, and may list groups`);
      if (token === '' || name === '') throw new Error(`${where} has an empty ${token === '' ? 'token' : 'user'}`);
      return [
        digest(token),
        {
          name,
          uid,
          // Blanks belong to names (token/tokenfile/tokenfile.go).
          groups: groups.split(',').filter((group) => group !== ''),
          extra: {},
        },
      ] as const;
    }),
  );
  return (token) => users.get(digest(token)) ?? null;
}

function rowsOf(file: string): string[][] {
  try {
    return parseCsv(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${option}: cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
}
