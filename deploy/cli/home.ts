import os from 'node:os';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';

/** Locations of named clusters. Pure, but for the environment. */

export const defaultName = 'default';

/** `$XDG_DATA_HOME/raftplane/NAME`, usually `~/.local/share/raftplane/NAME`. */
export function directoryOf(name: string, environment: NodeJS.ProcessEnv = process.env): string {
  const data = environment['XDG_DATA_HOME'] || path.join(environment['HOME'] || os.homedir(), '.local', 'share');
  return path.join(data, 'raftplane', name);
}

/** A name becomes a folder and a context in a kubeconfig. */
export function parseName(text: string): string {
  if (!/^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError(`${JSON.stringify(text)} is not a name of up to 40 small letters, digits and dashes`);
  return text;
}

export const contextOf = (name: string): string => `raftplane-${name}`;
