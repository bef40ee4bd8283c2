import { readFileSync } from 'node:fs';

/** Reads the token that the members of a cluster share, from a file of one line: all users of a machine can see the arguments of a process. */
export function readClusterToken(file: string): string {
  const token = readFileSync(file, 'utf8').trim();
  if (token === '') throw new Error(`${file} holds no cluster token: it is empty`);
  return token;
}
