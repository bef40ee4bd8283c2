import type { GroupResource } from '../../api/resource.js';
import { emulatedMinor } from '../../program/features/emulation.js';
import { createRuleMetrics } from '../../cel/rules/metrics.js';
import type { WebhookConverters } from '../extensions/conversion/contract.js';
import { CustomResources, withCustomResources } from '../extensions/definitions.js';
import { builtInResources, completionOf, referenceKinds, selectableFieldsOf, storedKinds, storedResourceTypes } from '../kinds/index.js';
import type { ApiServerOptions } from '../options/flags.js';
import { emulatedCatalogue } from '../options/runtimeConfig.js';
import { cachedResources } from '../options/watchCache.js';
import { masterLeaseResource } from '../presence/masterLeases.js';
import { goneAfterMs } from '../presence/presence.js';
import { liveCatalogue, type Catalogue } from '../registry/resources.js';
import type { CommonForms } from '../storage/commonForms.js';
import { EncryptedReplica } from '../storage/encryption/encryptedReplica.js';
import type { StoreEngine } from '../storage/engine.js';
import { isOtherMediaType, type StoredForm } from '../storage/forms.js';
import { referenceLayout } from '../storage/keyLayout.js';
import { KeySpace } from '../storage/keys.js';
import { MeasuredEngine, type StoreTimes } from '../storage/measured.js';
import { createStoreTimes } from '../storage/metrics.js';
import { createRaftStorage, type RaftStorage, type RaftStorageOptions } from '../storage/raft.js';
import { routedStorage } from '../storage/routed.js';
import { SealableEngine, sealKeyOf } from '../storage/seal.js';
import type { ServerStore } from '../store/store.js';
import type { Given } from './given.js';
import type { Platform } from './platform.js';

export interface Objects {
  readonly storage: RaftStorage;
  /** Built-in and custom resources, as currently served. */
  readonly catalogue: Catalogue;
  readonly builtIn: Catalogue;
  readonly isBuiltIn: (resource: GroupResource) => boolean;
}

export interface ObjectStore extends Pick<Given, 'encryption'> {
  readonly store: ServerStore;
  /** Encodings shared by serving threads; null for a single thread. */
  readonly commonForms: CommonForms | null;
}

interface DefinedResources {
  readonly kindOf: (resource: GroupResource) => string | null;
  readonly fieldsOf: CustomResources['fieldsOf'];
  readonly catalogue: () => Catalogue;
}

/** Opens storage. It calls `defined` about custom resources only once it holds definitions, so that may be made later. */
export function openObjects(platform: Platform, kept: ObjectStore, defined: DefinedResources): Objects {
  const { options } = platform;
  const builtIn = emulatedCatalogue(options);
  const isBuiltIn = builtInResources();
  const catalogue = liveCatalogue(withCustomResources(builtIn, defined.catalogue));
  const times = createStoreTimes(platform.metrics.registry);
  const storageOver = (engine: StoreEngine): RaftStorage =>
    createRaftStorage({
      ...storeOf(platform, { ...kept, store: { ...kept.store, engine }, times, definedKind: defined.kindOf }),
      ...(kept.store.published === null ? {} : { published: kept.store.published }),
      commonForms: kept.commonForms,
      prefix: options['etcd-prefix'],
      selectableFields: (resource) => (isBuiltIn(resource) ? selectableFieldsOf(resource) : defined.fieldsOf(resource)),
      cached: cachedResources(options),
      report: (error) => {
        platform.log.named('storage').error('broken stored object', { error });
      },
    });
  const storage = routedStorage(
    storageOver(kept.store.engine),
    kept.store.elsewhere.map(({ resources, engine }) => ({ resources, storage: storageOver(engine) })),
  );
  platform.parts.add({ name: 'storage', stop: () => storage.close() });
  return { storage, catalogue, builtIn, isBuiltIn };
}

export function followDefinitions(
  platform: Platform,
  { storage, builtIn, isBuiltIn }: Objects,
  webhooks: WebhookConverters,
): CustomResources {
  const custom = new CustomResources({
    storage,
    builtIn,
    isBuiltIn,
    webhooks,
    ruleTimes: createRuleMetrics(platform.metrics.registry),
    report: (error) => {
      platform.log.named('extensions').error('a definition cannot be served', { error });
    },
  });
  platform.parts.add({ name: 'custom resources', stop: () => custom.stop() });
  return custom;
}

type StorePart = 'completions' | 'requestBytesMax' | 'replica' | 'isStale' | 'layout' | 'storedForm' | 'ttlMs' | 'replayedRevisions';
type MeasuredStore = Pick<ObjectStore, 'store' | 'encryption'> & {
  readonly times: StoreTimes;
  readonly definedKind: DefinedResources['kindOf'];
};

/** Wraps the store: measured, in its stored form, and encrypted where configured. */
function storeOf(platform: Platform, { store, encryption, times, definedKind }: MeasuredStore): Pick<RaftStorageOptions, StorePart> {
  const prefix = platform.options['etcd-prefix'];
  const form = storedFormIn(platform, { store, definedKind });
  const keys = new KeySpace(prefix, form.layout);
  const engine = new SealableEngine(new MeasuredEngine(store.engine, keys, times), sealKeyOf(prefix));
  if (encryption === null) return { ...form, replica: engine };
  const encrypted = new EncryptedReplica({
    replica: engine,
    keys,
    encryption: () => encryption.current,
    report: (error, key) => {
      platform.log.named('encryption').warn('a stored value cannot be decrypted', { key, error });
    },
  });
  encryption.onChange(() => encrypted.reconfigured());
  return { ...form, replica: encrypted, isStale: (key) => encrypted.isStale(key) };
}

/** Returns the form of objects and keys: the reference's for a shared store, else that of `--storage-media-type`. */
function storedFormIn(
  { options, features }: Platform,
  { store, definedKind }: Pick<MeasuredStore, 'store' | 'definedKind'>,
): Pick<RaftStorageOptions, Exclude<StorePart, 'replica' | 'isStale'>> {
  const mediaType = options['storage-media-type'];
  return {
    ...(store.asReference
      ? {
          layout: referenceLayout(storedResourceTypes()),
          storedForm: {
            mediaType,
            cbor: features.enabled('CBORServingAndStorage'),
            kindOf: referenceKinds(emulatedMinor(options), definedKind),
          },
          completions: completionOf,
          // An etcd has its own, possibly raised limit.
          requestBytesMax: Infinity,
        }
      : { storedForm: storedFormOf(mediaType) }),
    ...(store.expires ? { ttlMs: ttlOf(options) } : {}),
    ...(store.replayedRevisions === null ? {} : { replayedRevisions: store.replayedRevisions }),
  };
}

/** Resources outside the catalogue, such as custom ones, are stored in JSON. */
const storedFormOf = (mediaType: string): StoredForm | null => (isOtherMediaType(mediaType) ? { mediaType, kind: storedKinds() } : null);

/** Events and server leases expire. */
const ttlOf =
  (options: Pick<ApiServerOptions, 'event-ttl'>) =>
  ({ group, resource }: GroupResource): number | null => {
    if (group !== '') return null;
    if (resource === masterLeaseResource.resource) return goneAfterMs;
    return options['event-ttl'] !== 0 && resource === 'events' ? options['event-ttl'] : null;
  };
