import type { GroupResource } from '../../../api/resource.js';
import { isNameless } from '../keyLayout.js';
import { identity, keyed } from './ciphers.js';
import { schemes, type ProviderFacts, type ResourceRule } from './configuration.js';
import { noEncryptionCounts, type EncryptionCounts } from './counts.js';
import type { KeyService } from './kms/service.js';
import { kmsV1 } from './kms/v1.js';
import { kmsV2 } from './kms/v2.js';
import type { Transformer } from './transformer.js';

export interface Encryption {
  /** The first writes; all read. Null for unencrypted resources. */
  transformersOf(resource: GroupResource): readonly Transformer[] | null;
  readonly keyServices: readonly KeyService[];
  readonly counts: EncryptionCounts;
  close(): void;
}

export function createEncryption(rules: readonly ResourceRule[], counts: EncryptionCounts = noEncryptionCounts): Encryption {
  const keyServices = new Map<string, KeyService>();
  const serviceFor = (provider: ProviderFacts & { readonly kind: 'kms' }): Transformer => {
    const { kms } = provider;
    const id = `${kms.apiVersion} ${kms.name} ${kms.endpoint}`;
    const service = keyServices.get(id) ?? (kms.apiVersion === 'v1' ? kmsV1(kms, counts) : kmsV2(kms, counts));
    keyServices.set(id, service);
    return service.transformer;
  };
  const prepared: readonly PreparedRule[] = rules.map(({ patterns, providers }) => ({
    patterns,
    transformers: providers.flatMap((provider) => transformersFor(provider, serviceFor)),
  }));
  const known = new Map<string, readonly Transformer[] | null>();
  for (const service of keyServices.values()) service.start();
  return {
    keyServices: [...keyServices.values()],
    counts,
    transformersOf: (resource) => {
      const name = `${resource.resource}.${resource.group}`;
      let found = known.get(name);
      if (found === undefined) known.set(name, (found = chosen(resource, prepared)));
      return found;
    },
    close: () => {
      for (const service of keyServices.values()) service.close();
    },
  };
}

interface PreparedRule {
  readonly patterns: readonly GroupResource[];
  readonly transformers: readonly Transformer[];
}

/**
 * The most specific entries count (the reference's `transformerFromOverrides`). As in the reference, resources that no API serves are written unencrypted, and
 * read as configured.
 */
function chosen(resource: GroupResource, rules: readonly PreparedRule[]): readonly Transformer[] | null {
  for (const asked of [resource, { group: resource.group, resource: '*' }, { group: '*', resource: '*' }]) {
    const transformers = rules
      .filter(({ patterns }) => patterns.some((pattern) => isSame(pattern, asked)))
      .flatMap((rule) => rule.transformers);
    if (transformers.length > 0) return isNameless(resource) ? [identity, ...transformers] : transformers;
  }
  return null;
}

const isSame = (a: GroupResource, b: GroupResource): boolean => a.group === b.group && a.resource === b.resource;

function transformersFor(
  provider: ProviderFacts,
  serviceFor: (provider: ProviderFacts & { readonly kind: 'kms' }) => Transformer,
): readonly Transformer[] {
  switch (provider.kind) {
    case 'identity':
      return [identity];
    case 'kms':
      return [serviceFor(provider)];
    case 'keyed':
      return provider.keys.map(({ name, secret }) => keyed(provider.scheme, schemes[provider.scheme], name, secret));
  }
}
