import fs from 'node:fs';
import { createPrivateKey } from 'node:crypto';
import { parse } from 'yaml';
import type { Pod } from '../../api/types/core/v1.js';
import { readAuthorities, readKeyPair } from '../../program/tls/credentials.js';
import { filesOf, signers } from '../certificates/signers.js';
import { loadKubeconfig } from '../client/kubeconfig.js';
import type { ControllerManagerOptions } from './flags.js';

/** Begins an error with its option. */
function problemOf(option: string, read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    const text = (error as Error).message;
    return [text.startsWith(`--${option}`) ? text : `--${option}: ${text}`];
  }
}

/** An expired authority is accepted, as only programs that trust it use its certificates. */
const noTime = new Date(0);

/**
 * Returns an error for each readable but invalid file that controllers use later: as in the reference, the program does not start with a partial
 * configuration.
 */
export function uselessFiles(options: ControllerManagerOptions): readonly string[] {
  const given = <N extends keyof ControllerManagerOptions>(
    names: readonly N[],
    read: (file: string, option: N) => unknown,
  ): readonly string[] =>
    names.flatMap((name) => {
      const file = options[name];
      return typeof file === 'string' && file !== '' ? problemOf(name, () => read(file, name)) : [];
    });
  return [
    ...given(['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'], (file, option) =>
      loadKubeconfig(file, option === 'kubeconfig' ? options.master : null),
    ),
    ...given(['root-ca-file'], (file, option) => readAuthorities(file, `--${option}`)),
    ...given(['service-account-private-key-file'], privateKeyIn),
    ...given(['pv-recycler-pod-template-filepath-hostpath', 'pv-recycler-pod-template-filepath-nfs'], podIn),
    ...[...new Map(signers.flatMap((signer) => authorityFiles(signer, options))).entries()].flatMap(([option, { certFile, keyFile }]) =>
      problemOf(option, () => readKeyPair(certFile, keyFile, noTime)),
    ),
  ];
}

function authorityFiles(
  signer: (typeof signers)[number],
  options: ControllerManagerOptions,
): readonly (readonly [option: string, files: { readonly certFile: string; readonly keyFile: string }])[] {
  const files = filesOf(signer, options);
  return files === null ? [] : [[options[signer.cert] === null ? 'cluster-signing-cert-file' : signer.cert, files]];
}

function privateKeyIn(file: string): void {
  try {
    createPrivateKey(fs.readFileSync(file));
  } catch (cause) {
    throw new Error(`${file} does not hold a private key in PEM: ${(cause as Error).message}`, { cause });
  }
}

function podIn(file: string): void {
  let pod: Partial<Pod> | null;
  try {
    pod = parse(fs.readFileSync(file, 'utf8')) as Partial<Pod> | null;
  } catch (cause) {
    throw new Error(`${file} is not YAML: ${(cause as Error).message.split('\n', 1)[0]}`, { cause });
  }
  if (pod?.kind !== 'Pod' || !Array.isArray(pod.spec?.containers) || pod.spec.containers.length === 0)
    throw new Error(`${file} is no Pod with containers`);
}
