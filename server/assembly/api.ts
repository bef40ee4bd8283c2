import { timeText } from '../../api/time.js';
import { hostname } from 'node:os';
import { createWorkers } from '../../workers/pool.js';
import { createAccess, type Access } from './access.js';
import { admissionOf } from './admission.js';
import type { AccessFiles } from './accessFiles.js';
import type { CountEvents } from '../admission/events/rateLimit.js';
import { enabledPlugins } from '../admission/names.js';
import { PolicyStatuses } from '../admission/policies/statuses.js';
import { createAggregation } from '../aggregation/aggregation.js';
import { apiServicesResource } from '../aggregation/apiServices.js';
import { openIdDocuments, type OpenIdDocuments } from '../authentication/serviceaccount/openid.js';
import { release } from '../../program/version.js';
import { createDiscovery } from '../discovery/discovery.js';
import { createOpenId, openidPaths } from '../discovery/openid.js';
import { createBackends } from '../endpoints/backends/connection.js';
import type { GroupResource } from '../../api/resource.js';
import { ClaimRepairs } from './claimRepairs.js';
import type { RequestContext } from '../endpoints/context.js';
import { createEndpoints } from '../endpoints/endpoints.js';
import { convertAny } from '../extensions/conversion/admission.js';
import { CustomResources, definitionsResource, withCustomResources } from '../extensions/definitions.js';
import { LifeCycles } from '../extensions/lifecycle/controller.js';
import { ownWrites } from '../registry/ownWrites.js';
import type { LiveFiles } from '../../program/files/liveFile.js';
import { issueObserver } from '../kinds/certificates.k8s.io/issue.js';
import { createServiceAllocator } from '../kinds/core/service/allocator.js';
import { addressUsage } from '../kinds/core/service/usage.js';
import { parsePortRange, parseRanges } from '../kinds/core/service/ranges.js';
import { portBitmap, portClaims } from '../kinds/core/service/portRecord.js';
import { builtInResources, completionOf, referenceKinds, selectableFieldsOf, storedKinds, storedResourceTypes } from '../kinds/index.js';
import { createAdmissionMetrics } from '../admission/metrics.js';
import { createAllocationMetrics, createRepairMetrics, exposeAllocations } from '../kinds/core/service/metrics.js';
import { createIssueMetrics } from '../kinds/certificates.k8s.io/metrics.js';
import type { Logger } from '../../program/log/logger.js';
import { createEndpointMetrics } from '../endpoints/metrics.js';
import type { Metrics } from '../http/metrics.js';
import { createPodSecurityMetrics } from '../admission/podsecurity/metrics.js';
import { createManifestMetrics } from '../admission/manifests/metrics.js';
import { createPolicyMetrics } from '../admission/policies/metrics.js';
import { createRuleMetrics } from '../cel/rules/metrics.js';
import { createOpenApi } from '../openapi/openapi.js';
import type { ApiServerOptions } from '../options/flags.js';
import { emulatedMinor } from '../../program/features/emulation.js';
import { featuresOf } from '../../program/features/options.js';
import { emulatedCatalogue } from '../options/runtimeConfig.js';
import { defaultServiceRange } from '../options/serviceRange.js';
import { cachedResources } from '../options/watchCache.js';
import { provideNamespace } from '../registry/namespaceProvision.js';
import { readAuthorities } from '../../program/tls/credentials.js';
import type { PutObjects } from '../http/raftRoutes.js';
import { Peers } from '../peers/peers.js';
import { masterLeaseResource } from '../presence/masterLeases.js';
import { goneAfterMs } from '../presence/presence.js';
import { leaseName } from '../presence/serverLease.js';
import { Parts } from './parts.js';
import { createAdmissionPolicies } from './policies.js';
import type { Registry } from '../registry/contract.js';
import { liveCatalogue, type Catalogue } from '../registry/resources.js';
import { createRegistry, type RegistryOptions } from '../registry/store.js';
import { advertisedAddress } from './serving.js';
import { doStartWork } from './startWork.js';
import type { CommonForms } from '../storage/commonForms.js';
import { EncryptedReplica } from '../storage/encryption/encryptedReplica.js';
import { isOtherMediaType, type StoredForm } from '../storage/forms.js';
import { MeasuredEngine, type StoreTimes } from '../storage/measured.js';
import { createStoreTimes } from '../storage/metrics.js';
import { KeySpace } from '../storage/keys.js';
import { referenceLayout } from '../storage/keyLayout.js';
import type { StoreEngine } from '../storage/engine.js';
import { createRaftStorage } from '../storage/raft.js';
import type { RaftStorage, RaftStorageOptions } from '../storage/raft.js';
import { routedStorage } from '../storage/routed.js';
import { SealableEngine, sealKeyOf } from '../storage/seal.js';
import type { ServerStore } from '../store/store.js';
import type { Given } from './given.js';
import { AdmissionManifests } from './manifests.js';
import { createAdmissionWebhooks, createConversionWebhooks, hookConnections } from './webhooks.js';

/** The API behind the filters, put together from storage, registry and endpoints. */
export interface Api {
  readonly storage: RaftStorage;
  readonly registry: Registry;
  /**
   * The same without admission, for what the server itself owes the cluster. Webhooks and policies must not stand in its way: they may wait for this very server,
   * and a plug-in that refuses everything would leave a cluster without roles and namespaces.
   */
  readonly ownRegistry: Registry;
  readonly catalogue: Catalogue;
  readonly access: Access;
  readonly resources: (context: RequestContext) => Promise<void> | void;
  /** False when the path is no document of the API. */
  readonly documents: (context: RequestContext) => Promise<boolean>;
  /** Resolves once users' rights, definitions and API services are known. */
  readonly synced: Promise<unknown>;
  /** Makes what must exist in every cluster; safe to call again and on several servers at once. Waits for a majority. */
  readonly bootstrap: (signal: AbortSignal) => Promise<void>;
  /** Puts objects into the store as they are, with the claims that services among them have on addresses and ports. */
  readonly putObjects: PutObjects;
  close(): Promise<void>;
}

export interface AssemblyOptions extends Pick<Given, 'plugins' | 'encryption' | 'egress' | 'agents'> {
  readonly options: ApiServerOptions;
  /** What the options about access name. */
  readonly files: AccessFiles;
  /** Follows files that change. */
  readonly live: LiveFiles;
  readonly store: ServerStore;
  /** The forms of objects that the serving threads have in common; null where one thread serves. */
  readonly commonForms: CommonForms | null;
  /** In place of counting events here: where the process counts them. */
  readonly countEvents: CountEvents | null;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export function assembleApi({
  options,
  files,
  plugins,
  live,
  agents,
  egress,
  store,
  commonForms,
  countEvents,
  encryption,
  metrics,
  log,
}: AssemblyOptions): Api {
  const parts = new Parts(log);
  const builtIn = emulatedCatalogue(options);
  const catalogue = liveCatalogue(withCustomResources(builtIn, () => custom.catalogue));
  const features = featuresOf(options);
  const isBuiltIn = builtInResources();
  const times = createStoreTimes(metrics.registry);
  const storageOver = (engine: StoreEngine): RaftStorage =>
    createRaftStorage({
      ...storeOf({ options, store: { ...store, engine }, encryption, log, times, definedKind: (resource) => custom.kindOf(resource) }),
      ...(store.published === null ? {} : { published: store.published }),
      commonForms,
      prefix: options['etcd-prefix'],
      selectableFields: (resource) => (isBuiltIn(resource) ? selectableFieldsOf(resource) : custom.fieldsOf(resource)),
      cached: cachedResources(options),
      report: (error) => {
        log.named('storage').error('broken stored object', { error });
      },
    });
  const storage = routedStorage(
    storageOver(store.engine),
    store.elsewhere.map(({ resources, engine }) => ({ resources, storage: storageOver(engine) })),
  );
  parts.add({ name: 'storage', stop: () => storage.close() });
  const connections = hookConnections(options, storage, { egress, certificates: metrics.peerCertificates.webhooks });
  const conversion = createConversionWebhooks(connections, metrics);
  parts.add({ name: 'conversion webhooks', stop: () => conversion.stop() });
  const custom = new CustomResources({
    storage,
    builtIn,
    isBuiltIn,
    webhooks: conversion.converters,
    ruleTimes: createRuleMetrics(metrics.registry),
    report: (error) => {
      log.named('extensions').error('a definition cannot be served', { error });
    },
  });
  parts.add({ name: 'custom resources', stop: () => custom.stop() });
  const aggregation = createAggregation({
    storage,
    catalogue,
    addresses: connections.addresses,
    identity: connections.identity,
    certificates: metrics.peerCertificates.aggregated,
    dial: egress('cluster'),
    rejectsRedirects: options['aggregator-reject-forwarding-redirect'],
  });
  parts.add({ name: 'aggregation', stop: () => aggregation.stop() });
  metrics.gauges('aggregator_unavailable_apiservice', 'API services that cannot be used now: 1, others 0.', { label: 'name' }, () =>
    Promise.resolve(aggregation.unavailable()),
  );
  const ranges = parseRanges(options['service-cluster-ip-range'] ?? defaultServiceRange);
  const ports = parsePortRange(options['service-node-port-range']);
  const portRecord = store.asReference ? portBitmap(storage, ports) : portClaims(storage);
  const services = createServiceAllocator({ storage, ranges, ports, portRecord, counts: createAllocationMetrics(metrics.registry) });
  exposeAllocations(metrics.registry, {
    addresses: () => addressUsage({ storage, ranges }),
    ports: async () => {
      const allocated = await portRecord.taken();
      return { allocated, available: ports.last - ports.first + 1 - allocated };
    },
  });
  const repairs = new ClaimRepairs({
    storage,
    log: log.named('services'),
    now: () => timeText(Date.now()),
    ports: store.asReference ? ports : null,
    failed: createRepairMetrics(metrics.registry),
  });
  parts.add({ name: 'claims of services', stop: () => repairs.stop() });
  const access = createAccess({ options, files, storage, egress, log: log.named('access') });
  parts.add({ name: 'access', stop: () => access.stop() });
  const gated = (['MutatingAdmissionPolicy', 'PodTopologyLabelsAdmission'] as const).filter((name) => !features.enabled(name));
  const enabled = enabledPlugins(options['enable-admission-plugins'], [
    ...options['disable-admission-plugins'],
    ...gated.map((name) => name.replace(/Admission$/, '')),
    ...(features.enabled('GenericWorkload') || features.enabled('WorkloadWithJob') ? [] : ['JobValidation']),
    ...(features.enabled('NodeDeclaredFeatures') ? [] : ['NodeDeclaredFeatureValidator']),
  ]);
  const manifests = new AdmissionManifests({
    configurations: plugins,
    live,
    catalogue: builtIn,
    enabled: (feature) => features.enabled(feature),
    counts: createManifestMetrics(metrics.registry, options['raft-member-id']),
    log: log.named('admission'),
  });
  const webhooks = createAdmissionWebhooks({
    storage,
    catalogue,
    connections,
    convert: convertAny(custom, isBuiltIn),
    authorize: access.authorize,
    enabled,
    configurations: plugins,
    manifests,
    metrics,
    log: log.named('webhooks'),
  });
  parts.add({ name: 'admission webhooks', stop: () => webhooks.stop() });
  const policies = createAdmissionPolicies({
    storage,
    catalogue,
    convert: convertAny(custom, isBuiltIn),
    authorize: access.authorize,
    enabled,
    manifests,
    metrics: createPolicyMetrics(metrics.registry),
    log: log.named('policies'),
  });
  parts.add({ name: 'admission policies', stop: () => policies.stop() });
  const lifeCycle: RegistryOptions = {
    storage,
    enabled: (feature) => features.enabled(feature),
    collectsGarbage: options['enable-garbage-collector'],
    allocators: { services },
    deletionsAtOnce: Math.max(1, options['delete-collection-workers']),
    observers: [issueObserver(createIssueMetrics(metrics.registry))],
  };
  const ownRegistry = createRegistry(lifeCycle);
  const registry: Registry = createRegistry({
    ...lifeCycle,
    namespaces: {
      exists: enabled.has('NamespaceLifecycle') || enabled.has('NamespaceExists'),
      stays: enabled.has('NamespaceLifecycle'),
      provide: enabled.has('NamespaceAutoProvision') ? (name) => provideNamespace(() => registry, builtIn, name) : null,
    },
    admission: admissionOf({
      options,
      plugins,
      podSecurityCounts: createPodSecurityMetrics(metrics.registry),
      countEvents,
      times: createAdmissionMetrics(metrics.registry),
      storage,
      catalogue,
      access,
      enabled,
      guards: [...webhooks.steps, ...policies.steps],
    }),
  });
  // Without authorities to know peers by, there is nobody to ask.
  const peers =
    features.enabled('UnknownVersionInteroperabilityProxy') && options['peer-ca-file'] !== null
      ? new Peers({
          storage,
          catalogue,
          own: leaseName({ hostname: hostname(), memberId: options['raft-member-id'] }),
          identity: connections.identity,
          ca: readAuthorities(options['peer-ca-file'], '--peer-ca-file').pem,
          dial: egress('controlplane'),
        })
      : null;
  parts.add({ name: 'peers', stop: () => peers?.stop() });
  /** Whether somebody else has answered, or does so now. */
  const elsewhere = async (answered: boolean | Promise<boolean>, context: RequestContext): Promise<boolean> =>
    (await answered) || (peers !== null && (await peers.answers(context)));
  const workers = createWorkers();
  parts.add({ name: 'workers', stop: () => workers.close() });
  const host = `${options['external-hostname'] ?? advertisedAddress(options)}:${options['secure-port']}`;
  const documents = (): OpenIdDocuments | null =>
    openIdDocuments(
      access.tokens.issuer?.issuer ?? '',
      options['service-account-jwks-uri'] ?? `https://${host}${openidPaths.keys}`,
      files.verificationKeys.current,
    );
  const openid = createOpenId(documents, () => files.verificationKeys.maxAgeSeconds ?? 3600);
  const discovery = createDiscovery({
    catalogue,
    groups: aggregation.groups,
    ...(peers === null ? {} : { peers: peers.groups }),
    build: { gitVersion: options.version?.startsWith('v') ? options.version : release },
    emulatedMinor: emulatedMinor(options),
    versionHashes: features.enabled('StorageVersionHash'),
    serverAddress: host,
    otherPaths: documents() === null ? [] : Object.values(openidPaths),
    cbor: features.enabled('CBORServingAndStorage'),
  });
  const ownResources = createEndpoints({
    registry,
    catalogue,
    workers,
    authorize: access.authorize,
    rules: access.rules,
    tokens: access.tokens,
    minRequestTimeoutSeconds: options['min-request-timeout'],
    watchList: features.enabled('WatchList'),
    shards: features.enabled('ShardedListAndWatch'),
    cached: cachedResources(options),
    compression: features.enabled('APIResponseCompression'),
    forcesDeletion: features.enabled('AllowUnsafeMalformedObjectDeletion'),
    clearsNomination: features.enabled('ClearingNominatedNodeNameAfterBinding'),
    backends: createBackends({
      credentials: agents,
      preferredAddresses: options['kubelet-preferred-address-types'],
      connectTimeoutMs: options['kubelet-timeout'],
      dial: egress('cluster'),
      bytesPerSecond: options['max-connection-bytes-per-sec'],
    }),
    streamsNeedCreate: features.enabled('AuthorizePodWebsocketUpgradeCreatePermission'),
    splitsLogs: features.enabled('PodLogsQuerySplitStreams'),
    cbor: features.enabled('CBORServingAndStorage'),
    catchUp: custom.catchUp,
    counts: createEndpointMetrics(metrics.registry),
  });
  const openapi = createOpenApi({
    builtIn,
    defined: () => custom.catalogue,
    definitions: custom.storedIn,
    remote: aggregation.documents,
    telling: { enums: features.enabled('OpenAPIEnums') },
  });
  parts.add({ name: 'OpenAPI', stop: () => openapi.close() });
  const synced = Promise.all([access.synced, custom.synced, aggregation.synced]);
  // Told to whoever waits for it.
  synced.catch(() => undefined);
  return {
    storage,
    registry,
    ownRegistry,
    catalogue,
    access,
    synced,
    resources: (context) => {
      const answered = aggregation.answers(context);
      if (answered === true) return undefined;
      if (answered === false && peers === null) return ownResources(context);
      return elsewhere(answered, context).then((done) => (done ? undefined : ownResources(context)));
    },
    documents: async (context) => {
      if (await aggregation.answers(context)) return true;
      // A client that has been told through another server that a definition is in effect must find it here.
      if (tellsDefined.test(context.info.path)) await custom.fresh();
      return (await discovery(context)) || openid(context) || openapi.documents(context);
    },
    putObjects: async (objects, terms) => {
      const outcome = await storage.putAll(objects, terms);
      if (objects.some(({ key: { resource } }) => resource.group === '' && resource.resource === 'services')) await repairs.begin();
      return outcome;
    },
    bootstrap: async (signal) => {
      await doStartWork(
        {
          options,
          store,
          storage,
          registry: ownRegistry,
          catalogue,
          builtIn,
          access,
          repairs,
          serviceRanges: ranges.map(({ text }) => text),
          now: () => timeText(Date.now()),
          log,
        },
        signal,
      );
      await synced;
      const policyStatuses = new PolicyStatuses({
        storage,
        registry,
        catalogue,
        schemaOf: custom.schemaOf,
        onDefinitionsChange: (listener) => custom.onChange(listener),
        report: (name, error) => {
          log.named('policies').warn('the status of a policy cannot be written', { name, error });
        },
      });
      parts.add({ name: 'statuses of policies', stop: () => policyStatuses.stop() });
      const apiServices = builtIn.resource(apiServicesResource.group, 'v1', apiServicesResource.resource);
      if (apiServices !== null)
        aggregation.begin({
          registry,
          resource: apiServices,
          writes: ownWrites,
          now: () => timeText(Date.now()),
          report: (name, error) => {
            log.named('aggregation').warn('an API service cannot be looked after', { name, error });
          },
        });
      const definitions = builtIn.resource(definitionsResource.group, 'v1', definitionsResource.resource);
      if (definitions === null) return;
      const lifeCycles = new LifeCycles({
        resources: custom,
        storage,
        registry,
        definitions,
        apiServices: builtIn.resource('apiregistration.k8s.io', 'v1', 'apiservices'),
        now: () => timeText(Date.now()),
        report: (name, error) => {
          log.named('extensions').warn('a definition cannot be brought further, trying again', { name, error });
        },
      });
      parts.add({ name: 'life cycles of definitions', stop: () => lifeCycles.stop() });
    },
    close: () => parts.stop(),
  };
}

/** Documents in which custom resources occur. */
const tellsDefined = /^\/(apis|openapi)(\/|$)/;

type StorePart = 'completions' | 'requestBytesMax' | 'replica' | 'isStale' | 'layout' | 'storedForm' | 'ttlMs' | 'replayedRevisions';

/** The store as storage sees it, and how objects are kept there. */
function storeOf({
  options,
  store,
  encryption,
  log,
  times,
  definedKind,
}: Pick<AssemblyOptions, 'options' | 'store' | 'encryption' | 'log'> & {
  readonly times: StoreTimes;
  /** Kind of a custom resource. */
  readonly definedKind: (resource: GroupResource) => string | null;
}): Pick<RaftStorageOptions, StorePart> {
  const mediaType = options['storage-media-type'];
  const kept: Pick<RaftStorageOptions, Exclude<StorePart, 'replica' | 'isStale'>> = {
    ...(store.asReference
      ? {
          layout: referenceLayout(storedResourceTypes()),
          storedForm: {
            mediaType,
            cbor: featuresOf(options).enabled('CBORServingAndStorage'),
            kindOf: referenceKinds(emulatedMinor(options), definedKind),
          },
          completions: completionOf,
          // etcd may be told another one.
          requestBytesMax: Infinity,
        }
      : { storedForm: storedFormOf(mediaType) }),
    ...(store.expires ? { ttlMs: ttlOf(options['event-ttl']) } : {}),
    ...(store.replayedRevisions === null ? {} : { replayedRevisions: store.replayedRevisions }),
  };
  const keys = new KeySpace(options['etcd-prefix'], kept.layout);
  const engine = new SealableEngine(new MeasuredEngine(store.engine, keys, times), sealKeyOf(options['etcd-prefix']));
  if (encryption === null) return { ...kept, replica: engine };
  const report = (error: unknown, key: string): void => {
    log.named('encryption').warn('a stored value cannot be decrypted', { key, error });
  };
  const encrypted = new EncryptedReplica({
    replica: engine,
    keys,
    encryption: () => encryption.current,
    report,
  });
  encryption.onChange(() => encrypted.reconfigured());
  return { ...kept, replica: encrypted, isStale: (key) => encrypted.isStale(key) };
}

/** Events go by themselves, and what servers say of being there. */
const ttlOf =
  (eventTtlMs: number) =>
  ({ group, resource }: GroupResource): number | null => {
    if (group !== '') return null;
    if (resource === masterLeaseResource.resource) return goneAfterMs;
    return eventTtlMs !== 0 && resource === 'events' ? eventTtlMs : null;
  };

/** Objects of custom resources, and all others of which the catalogue knows nothing, are stored in JSON in any case. */
const storedFormOf = (mediaType: string): StoredForm | null => (isOtherMediaType(mediaType) ? { mediaType, kind: storedKinds() } : null);
