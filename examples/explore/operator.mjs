// A Site gets a ConfigMap, a Secret, and a line in the ConfigMap `registry`, which all sites share. BUG=name gives it a bug that `raftplane explore` finds:
// lost, twice, gives-up, panic, lock, leak, generation, restless, stale, edges, order, conflict, blind, once, wedged, sweeps.
import { setTimeout as delay } from 'node:timers/promises';
import {
  QueueController,
  controllerProgram,
  isAlreadyExists,
  isConflict,
  isNotFound,
  isTerminating,
  loadKubeconfig,
  resource,
  unless,
} from 'raftplane/client';

const bugs = new Set(process.env.BUG?.split(','));
const finalizer = 'example.org/registry';
const sites = resource({ apiVersion: 'example.org/v1', resource: 'sites', kind: 'Site' });
const configMaps = resource({ apiVersion: 'v1', resource: 'configmaps', kind: 'ConfigMap' });
const secrets = resource({ apiVersion: 'v1', resource: 'secrets', kind: 'Secret' });

const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort()).on('SIGINT', () => stopping.abort());
const program = controllerProgram(loadKubeconfig(process.env.KUBECONFIG), { name: 'sites', signal: stopping.signal, qps: -1 });
const { api, informers } = program.environment;
const cached = (type, name, namespace) => informers.of(type).cache.get(`${namespace}/${name}`);

async function sync(key) {
  const site = informers.of(sites).cache.get(key);
  if (!site) return;
  if (isTerminating(site)) return forget(site);
  if (!site.metadata.finalizers?.includes(finalizer)) {
    await unless(
      isNotFound,
      api.update(sites, { ...site, metadata: { ...site.metadata, finalizers: [...(site.metadata.finalizers ?? []), finalizer] } }),
    );
    return;
  }
  // The bug: after a title that it refuses it looks at no other.
  if (bugs.has('wedged') && (refused.has(site.metadata.uid) || site.spec.title.length < 2)) {
    refused.add(site.metadata.uid);
    return report(site, 'refused');
  }
  await keepContent(site);
  await register(site.metadata, site.spec.title);
  await report(site);
}

/** Only bugs need a memory. */
const made = new Set();
const generations = new Map();
const registered = new Set();
const refused = new Set();

/** The bug: each change is expected to be seen. */
function isNext({ metadata: { uid, generation } }) {
  const last = generations.get(uid) ?? generation;
  if (generation - last < 2) generations.set(uid, generation);
  return !bugs.has('edges') || generation - last < 2;
}

async function keepContent(site) {
  const { name, namespace } = site.metadata;
  const data = { title: site.spec.title, theme: site.spec.theme ?? 'light' };
  const ownerReferences = bugs.has('leak')
    ? []
    : [{ apiVersion: 'example.org/v1', kind: 'Site', name, uid: site.metadata.uid, controller: true }];
  const metadata = { name: `${name}-content`, namespace, ownerReferences };
  const token = { metadata: { ...metadata, name: `${name}-token` }, stringData: { token: `for ${name}` } };
  const map = cached(configMaps, metadata.name, namespace);
  if (!map) await unless(isAlreadyExists, api.create(configMaps, { metadata, data }));
  else if (isNext(site) && (map.data?.title !== data.title || isOtherTheme(map, data))) await api.update(configMaps, { ...map, data });
  // The bug: the map was made first, so it must have been seen first; without it, somebody has switched the site off.
  if (bugs.has('order')) {
    if (!map && cached(secrets, token.metadata.name, namespace))
      return void (await api.update(sites, { ...site, spec: { ...site.spec, title: 'off' } }));
    await delay(150);
  }
  // The bug: where the first object is there, the second is thought to be there as well.
  if (bugs.has('lost') && map) return;
  // The bug: a write that was not answered is done once more, under another name.
  if (bugs.has('twice')) {
    if (made.has(site.metadata.uid)) return;
    await api.create(secrets, { ...token, metadata: { ...token.metadata, name: undefined, generateName: `${name}-token-` } });
    made.add(site.metadata.uid);
  } else if (bugs.has('stale')) {
    if (made.has(site.metadata.uid)) return;
    made.add(site.metadata.uid);
    // The bug: this list may be older than the last write.
    const { items } = await api.list(secrets, { namespace, resourceVersion: '0' });
    if (items.some(({ metadata: { ownerReferences = [] } }) => ownerReferences.some(({ uid }) => uid === site.metadata.uid))) return;
    await api.create(secrets, { ...token, metadata: { ...token.metadata, name: undefined, generateName: `${name}-token-` } });
  } else if (!cached(secrets, token.metadata.name, namespace)) await unless(isAlreadyExists, api.create(secrets, token));
}

/** The registry is read anew each time: others write it too. */
async function register({ name, namespace }, title) {
  const registry = await unless(isNotFound, api.get(configMaps, { namespace, name: 'registry' }));
  if (registry?.data?.[name] === title || registered.has(`${name} ${title}`)) return;
  const metadata = registry ? { ...registry.metadata } : { name: 'registry', namespace };
  // The bug: what somebody else has written meanwhile is written over.
  if (bugs.has('blind')) delete metadata.resourceVersion;
  const data = { ...registry?.data, [name]: title };
  if (title === undefined && Object.keys(data).length === 1)
    await unless(isNotFound, api.delete(configMaps, { namespace, name: 'registry' }, preconditionOf(registry)));
  else if (registry && bugs.has('conflict')) {
    // The bug: a conflict means that somebody else has done it.
    registered.add(`${name} ${title}`);
    await unless(isConflict, api.update(configMaps, { ...registry, metadata, data }));
  } else if (registry) await api.update(configMaps, { ...registry, metadata, data });
  else await api.create(configMaps, { metadata, data });
}

const preconditionOf = ({ metadata: { uid, resourceVersion } }) => ({ preconditions: { uid, resourceVersion } });

/** The bug: the theme is only that of the beginning. */
const isOtherTheme = (map, data) => !bugs.has('once') && map.data.theme !== data.theme;

async function report(site, content = `${site.metadata.name}-content`) {
  // The bug: the status is of the generation before.
  const seen = site.metadata.generation - (bugs.has('generation') && site.metadata.generation > 1 ? 1 : 0);
  const status = { observedGeneration: seen, content };
  if (site.status?.observedGeneration === seen && site.status.content === status.content) return;
  await unless(isNotFound, api.update(sites, { ...site, status }, { subresource: 'status' }));
}

async function forget(site) {
  if (!site.metadata.finalizers?.includes(finalizer)) return;
  await register(site.metadata, undefined);
  const finalizers = site.metadata.finalizers.filter((each) => each !== finalizer);
  await unless(isNotFound, api.update(sites, { ...site, metadata: { ...site.metadata, finalizers } }));
}

/** The bug: after an error the site is left as it is. */
const left = new Set();
const carelessly = (key) =>
  left.has(key)
    ? Promise.resolve()
    : sync(key).catch((error) => {
        if (isConflict(error)) throw error;
        console.error(`${key}: ${error.message}`);
        left.add(key);
      });
/** The bug: errors other than conflicts are thrown where nobody catches them. */
const unawaited = (key) =>
  sync(key).catch((error) => {
    if (isConflict(error)) throw error;
    queueMicrotask(() => {
      throw error;
    });
  });

const controller = new QueueController(program.environment, {
  name: 'sites',
  workers: 2,
  sync: bugs.has('gives-up') ? carelessly : bugs.has('panic') ? unawaited : sync,
});
controller.watch(sites);
controller.watch(configMaps, ownersOf);
controller.watch(secrets, ownersOf);

function ownersOf({ metadata: { namespace, ownerReferences = [] } }) {
  return ownerReferences.filter(({ kind }) => kind === 'Site').map(({ name }) => `${namespace}/${name}`);
}

// The bug: the lock of a start that was killed is never taken over.
if (bugs.has('lock')) {
  const waiting = setInterval(() => undefined, 60_000);
  await api.create(configMaps, { metadata: { name: 'lock', namespace: 'default' } }).catch(() => new Promise(() => undefined));
  clearInterval(waiting);
}
// The bug: this list may be older than the last deletion, and the site is there again.
if (bugs.has('sweeps'))
  void (async () => {
    const { items } = await api.list(sites, { resourceVersion: '0' });
    for (const { metadata } of items.filter(isTerminating))
      await unless(isNotFound, api.delete(configMaps, { namespace: metadata.namespace, name: `${metadata.name}-content` }));
  })();
// The bug: it asks again and again instead of watching.
if (bugs.has('restless'))
  void (async () => {
    for (;;) await unless(isNotFound, api.get(configMaps, { namespace: 'default', name: 'registry' }));
  })();
await program.run(controller);
