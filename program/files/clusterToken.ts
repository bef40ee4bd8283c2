import { readFileSync } from 'node:fs';

/** Reads the members' shared token from a file, since all users of a machine can see arguments. */
export function readClusterToken(file: string): string {
  const token = readFileSync(file, 'utf8').trim();
  if (token === '') throw new Error(`${file} holds no cluster token: it is empty`);
  return token;
}
