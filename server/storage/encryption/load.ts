import { fixed, type Live, type LiveFiles } from '../../files/liveFile.js';
import { noEncryptionCounts, type EncryptionCounts } from './counts.js';
import { readEncryptionConfiguration, type ResourceRule } from './configuration.js';
import { createEncryption, type Encryption } from './encryption.js';

export interface EncryptionOptions {
  readonly 'encryption-provider-config': string | null;
  readonly 'encryption-provider-config-automatic-reload': boolean;
}

/** Values that are on their way when a configuration is replaced still use its key services this long. */
const closingMs = 60_000;

/** The encryption that the options ask for, or null for none. Throws when the configuration cannot be used; a later one that cannot is reported, and the earlier one stays. */
export function loadEncryption(
  options: EncryptionOptions,
  live: LiveFiles,
  report: (error: Error) => void,
  { allowsKmsV1 = true, counts = noEncryptionCounts }: { readonly allowsKmsV1?: boolean; readonly counts?: EncryptionCounts } = {},
): Live<Encryption> | null {
  const file = options['encryption-provider-config'];
  if (file === null) return null;
  const read = (): Encryption => {
    const rules = readEncryptionConfiguration(file);
    if (!allowsKmsV1 && usesKmsV1(rules))
      throw new Error(
        `--encryption-provider-config: ${file} has a provider kms of version v1, which is on its way out; use v2, or give --feature-gates=KMSv1=true`,
      );
    return createEncryption(rules, counts);
  };
  if (!options['encryption-provider-config-automatic-reload']) return fixed(read());
  const followed = live.follow({ files: [file], read, failed: report });
  let current = followed.current;
  followed.onChange((next) => {
    const old = current;
    current = next;
    setTimeout(() => {
      old.close();
    }, closingMs).unref();
  });
  return followed;
}

const usesKmsV1 = (rules: readonly ResourceRule[]): boolean =>
  rules.some(({ providers }) => providers.some((provider) => provider.kind === 'kms' && provider.kms.apiVersion === 'v1'));
