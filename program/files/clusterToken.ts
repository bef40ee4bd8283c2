import { readFileSync } from 'node:fs';

/** The token that the members of a cluster share, from a file of one line: arguments of a process are seen by all users of its machine. */
export function readClusterToken(file: string): string {
  const token = readFileSync(file, 'utf8').trim();
  if (token === '') throw new Error(`${file} holds no cluster token: it is empty`);
  return token;
}
