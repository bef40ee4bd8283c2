import { expect } from 'chai';
import { Target, type User } from './target.js';
import { mergePatch, tryAll, type Try } from './tries.js';
import { plainRequest, RawHttp1 } from './wire/http1.js';

/** Part of every secret that is unreadable here. */
const marker = 'c2VjcmV0LW1hcmtlcg==';
/** Text that only authorized answers contain. */
const leak = /c2VjcmV0LW1hcmtlcg|process_resident_memory|"leaderId"/;
const elsewhere = [301, 302, 307, 308];

/** Another spelling of a path reaches no other handler than the one that was authorized. */
describe('attacks/paths', function () {
  let target: Target;
  let low: User;
  let owner: User;
  let named: User;

  before(async () => {
    target = await Target.start();
    await target.namespace('a');
    for (const name of ['mine', 'other']) {
      await target.admin.expect(201, 'POST', '/api/v1/namespaces/a/secrets', {
        body: { metadata: { name, labels: { which: name } }, data: { s: marker } },
      });
    }
    await target.admin.expect(201, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: definition('whales', 'Whale', 'Cluster'),
    });
    await target.admin.expect(201, 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      body: definition('minnows', 'Minnow', 'Namespaced'),
    });
    await servedSoon('whales');
    await servedSoon('namespaces/a/minnows');
    await target.admin.expect(201, 'POST', '/apis/sea.example.com/v1/whales', {
      body: { apiVersion: 'sea.example.com/v1', kind: 'Whale', metadata: { name: 'moby', annotations: { marker } } },
    });
    await target.admin.expect(201, 'POST', '/apis/sea.example.com/v1/namespaces/a/minnows', {
      body: { apiVersion: 'sea.example.com/v1', kind: 'Minnow', metadata: { name: 'small', annotations: { marker } } },
    });
    low = await target.user('low');
    owner = await target.user('owner', { namespace: 'a', rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] });
    named = await target.user('named', {
      namespace: 'a',
      rules: [
        { verbs: ['get', 'list', 'watch', 'deletecollection'], resources: ['secrets'], resourceNames: ['mine'] },
        { verbs: ['list', 'watch'], apiGroups: ['sea.example.com'], resources: ['shrimps'] },
      ],
    });
  });
  after(async () => {
    await target?.stop();
  });

  async function servedSoon(path: string): Promise<void> {
    while ((await target.admin.request('GET', `/apis/sea.example.com/v1/${path}`)).status !== 200) await new Promise(setImmediate);
  }

  describe('spellings, by a user without rights', () => {
    const spellings = [
      '/metrics',
      '//metrics',
      '/metrics/',
      '/metrics;a',
      '/METRICS',
      '/%6detrics',
      '/metrics%00',
      '/metrics%2f',
      '/metrics?a=/livez',
      '/livez/../metrics',
      '/livez/%2e%2e/metrics',
      '/livez%2f..%2fmetrics',
      '/livez;/../metrics',
      '/version/../metrics',
      '/./metrics',
      '/livez/./../metrics',
      '/openapi/v3/../../metrics',
      '/readyz/../../metrics',
      '/\\metrics',
      '/raft/v1/status',
      '//raft/v1/status',
      '/raft//v1/status',
      '/raft/v1/status/',
      '/raft/v1/../v1/status',
      '/version/../raft/v1/status',
      '/RAFT/v1/status',
      '/raft%2fv1%2fstatus',
      '/raft/v1/backup',
      '/raft/v1/digest',
      '/raft/v1/keys',
      '/raft/v1/objects',
      '/api/v1/secrets',
      '//api/v1/secrets',
      '/api//v1/secrets',
      '/api/v1//secrets',
      '/api/v1/secrets/',
      '/api/v1/./secrets',
      '/apis//v1/secrets',
      '/apis/v1/secrets',
      '/api/v1/../v1/secrets',
      '/api/v1;/secrets',
      '/api/V1/secrets',
      '/api/v1/SECRETS',
      '/api/v1/%73ecrets',
      '/api/v1%2fsecrets',
      '/api/v1/namespaces/a/secrets/mine',
      '/api/v1/namespaces/a/secrets/mine/',
      '/api/v1/namespaces//secrets/mine',
      '/api/v1/namespaces/a%2fsecrets%2fmine',
      '/api/v1/namespaces/../secrets',
      '/api/v1/namespaces/%2e%2e/secrets',
      '/api/v1/namespaces/default/configmaps/../../../namespaces/a/secrets',
      '/api/v1/secrets/../secrets',
      '/api/v1/watch/secrets',
      '/api/v1/watch//secrets',
      '/api/v1/watch/namespaces/a/secrets/mine',
      '/api/v1/proxy/namespaces/a/secrets/mine',
      '/apis/sea.example.com/v1/whales',
      '/apis/sea.example.com//v1/whales',
      '/apis/../api/v1/secrets',
      '/logs/',
      '/debug/pprof/',
      '/debug/pprof/profile',
      '/debug/flags/v',
      '/configz',
      '/statusz',
      '/flagz',
      '/ui/',
      '/.well-known/../metrics',
    ];
    for (const path of spellings) {
      it(path, async () => {
        const wire = await RawHttp1.open(low.wire);
        wire.send(plainRequest('GET', path));
        const [answer] = await wire.answered(1);
        wire.destroy();
        expect([...elsewhere, 400, 403, 404, 406]).to.include(answer?.status);
        expect(answer?.body).not.to.match(leak);
      });
    }
  });

  describe('targets that are no path, by a user without rights', () => {
    const targets = [
      'https://x/api/v1/secrets',
      'http://localhost/metrics',
      'https://x\\@y/metrics',
      'https:///metrics',
      'metrics',
      '*',
      '?watch',
      'ftp://x/metrics',
      'localhost:443',
      '/%zz',
      '/api/v1/%',
      'https://x?/../metrics',
      '#/metrics',
      '/metrics#',
      '/livez?/../metrics',
    ];
    for (const path of targets) {
      it(path, async () => {
        const wire = await RawHttp1.open(low.wire);
        wire.send(plainRequest('GET', path));
        const [answer] = await wire.answered(1);
        wire.destroy();
        // A connection cut without an answer reveals nothing either.
        if (path === '/livez?/../metrics') expect(answer?.status).to.equal(200);
        else expect([undefined, 400, 403, 404]).to.include(answer?.status);
        expect(answer?.body ?? '').not.to.match(leak);
      });
    }
  });

  describe('cluster-scoped types through a namespace, by one who may do everything in it (CVE-2019-11247)', () => {
    const whale = { apiVersion: 'sea.example.com/v1', kind: 'Whale', metadata: { name: 'new' } };
    const tries: Try[] = [
      ...['nodes', 'persistentvolumes', 'namespaces', 'componentstatuses'].map((resource): Try => ({
        what: resource,
        path: `/api/v1/namespaces/a/${resource}`,
        status: [403, 404],
        neverSays: leak,
      })),
      { what: 'clusterroles', path: '/apis/rbac.authorization.k8s.io/v1/namespaces/a/clusterroles', status: [403, 404] },
      {
        what: 'custom resource definitions',
        path: '/apis/apiextensions.k8s.io/v1/namespaces/a/customresourcedefinitions',
        status: [403, 404],
      },
      { what: 'lists custom objects', path: '/apis/sea.example.com/v1/namespaces/a/whales', status: [403, 404], neverSays: leak },
      { what: 'gets a custom object', path: '/apis/sea.example.com/v1/namespaces/a/whales/moby', status: [403, 404], neverSays: leak },
      {
        what: 'creates a custom object',
        method: 'POST',
        path: '/apis/sea.example.com/v1/namespaces/a/whales',
        body: whale,
        status: [403, 404, 405],
      },
      {
        what: 'patches a custom object',
        method: 'PATCH',
        path: '/apis/sea.example.com/v1/namespaces/a/whales/moby',
        body: { metadata: { labels: { hit: 'yes' } } },
        type: mergePatch,
        status: [403, 404, 405],
        neverSays: leak,
      },
      {
        what: 'deletes a custom object',
        method: 'DELETE',
        path: '/apis/sea.example.com/v1/namespaces/a/whales/moby',
        status: [403, 404, 405],
        neverSays: leak,
      },
      { what: 'deletes all of them', method: 'DELETE', path: '/apis/sea.example.com/v1/namespaces/a/whales', status: [403, 404, 405] },
      {
        what: 'deletes its own namespace through itself',
        method: 'DELETE',
        path: '/api/v1/namespaces/a/namespaces/a',
        status: [403, 404, 405],
      },
      { what: 'status of another namespace', path: '/api/v1/namespaces/default/status', status: 403 },
      { what: 'namespaced objects of everywhere', path: '/api/v1/secrets', status: 403, neverSays: leak },
      {
        what: 'a namespaced object without its namespace',
        path: '/apis/sea.example.com/v1/minnows/small',
        status: [403, 404, 405],
        neverSays: leak,
      },
    ];
    tryAll(() => owner.client, tries);
    it('has left everything as it was', async () => {
      const object = await target.admin.expect(200, 'GET', '/apis/sea.example.com/v1/whales/moby');
      expect(object.metadata.labels).to.equal(undefined);
    });
  });

  describe('rights for one name, or for one type of a group (CVE-2022-3162)', () => {
    const secrets = '/api/v1/namespaces/a/secrets';
    const allowed: Try[] = [
      { what: 'gets its own', path: `${secrets}/mine`, status: 200 },
      { what: 'lists what is called so', path: `${secrets}?fieldSelector=metadata.name%3Dmine`, status: 200, neverSays: /"which":"other"/ },
    ];
    const names = [
      'metadata.name!=other',
      'metadata.name==other',
      'metadata.name=other',
      'metadata.name=mine,metadata.name=other',
      'metadata.namespace=a',
      'type=Opaque',
      'metadata.name=',
      'metadata.name=mine*',
      'metadata.name in (mine)',
      'metadata.name=mine,metadata.name!=mine',
      'METADATA.NAME=mine',
    ];
    const selectors: Try[] = names.map((selector) => ({
      what: `lists with ${selector}`,
      path: `${secrets}?fieldSelector=${encodeURIComponent(selector)}`,
      status: [200, 400, 403],
      neverSays: /"which":"other"/,
    }));
    const spelled: Try[] = [
      `${secrets}`,
      `${secrets}?labelSelector=which%3Dmine`,
      `${secrets}?fieldSelector=metadata.name%3Dother&fieldSelector=metadata.name%3Dmine`,
      `${secrets}?fieldSelector=metadata.name%3Dmine&fieldSelector=metadata.name%3Dother`,
      `${secrets}?fieldSelector=metadata.name%3Dmine;fieldSelector=`,
      `${secrets}?FieldSelector=metadata.name%3Dmine`,
      `${secrets}?fieldSelector=metadata.name%3Dmine%00`,
      `${secrets}?%66ieldSelector=metadata.name%3Dother`,
      `${secrets}?resourceVersion=0`,
      `${secrets}?limit=1`,
      `${secrets}?limit=1&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJvdGhlciJ9`,
      `${secrets}/other`,
      `${secrets}/mine%2f..%2fother`,
      `${secrets}/mine/../other`,
    ].map((path): Try => ({
      what: `reads ${path.slice(secrets.length) || 'all'}`,
      path,
      status: [200, 400, 403, 404],
      neverSays: /"which":"other"/,
    }));
    const watches: Try[] = [
      '?watch=true',
      '?watch=1',
      '?watch',
      '?watch=TRUE&fieldSelector=metadata.name%3Dother',
      '?watch=true&watch=false',
      '?watch=t&timeoutSeconds=1',
      '?watch=yes',
    ].map((query): Try => ({ what: `watches ${query}`, path: `${secrets}${query}`, status: [400, 403] }));
    const prefixed: Try[] = [
      { what: 'watches another by the old prefix', path: '/api/v1/watch/namespaces/a/secrets/other', status: 403 },
      { what: 'watches all by the old prefix', path: '/api/v1/watch/namespaces/a/secrets', status: 403 },
      {
        what: 'watches another by the old prefix and a selector',
        path: '/api/v1/watch/namespaces/a/secrets/other?fieldSelector=metadata.name%3Dmine&timeoutSeconds=1',
        status: [400, 403],
        neverSays: /"which":"other"/,
      },
      {
        what: 'watches its own by the old prefix with a selector for another',
        path: '/api/v1/watch/namespaces/a/secrets/mine?fieldSelector=metadata.name%3Dother&timeoutSeconds=1',
        status: [200, 400, 403],
        neverSays: /"which":"other"/,
      },
    ];
    const others: Try[] = [
      { what: 'deletes all', method: 'DELETE', path: secrets, status: 403 },
      { what: 'deletes all but its own', method: 'DELETE', path: `${secrets}?fieldSelector=metadata.name!%3Dmine`, status: 403 },
      {
        what: 'deletes another with a body that selects its own',
        method: 'DELETE',
        path: `${secrets}?fieldSelector=metadata.name%3Dother`,
        body: { fieldSelector: 'metadata.name=mine' },
        status: 403,
      },
      { what: 'reads another type of its group', path: '/apis/sea.example.com/v1/namespaces/a/minnows', status: 403, neverSays: leak },
      {
        what: 'reads another type by walking',
        path: '/apis/sea.example.com/v1/namespaces/a/shrimps/..%2fminnows',
        status: [403, 404],
        neverSays: leak,
      },
      {
        what: 'reads another type by walking on',
        path: '/apis/sea.example.com/v1/shrimps/%2e%2e/minnows',
        status: [403, 404],
        neverSays: leak,
      },
    ];
    tryAll(() => named.client, [...allowed, ...selectors, ...spelled, ...watches, ...prefixed, ...others]);
    it('has left the others there', async () => {
      await target.admin.expect(200, 'GET', `${secrets}/other`);
    });
  });
});

function definition(plural: string, kind: string, scope: 'Cluster' | 'Namespaced'): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    metadata: { name: `${plural}.sea.example.com` },
    spec: { group: 'sea.example.com', scope, names: { plural, kind }, versions: [{ name: 'v1', served: true, storage: true, schema }] },
  };
}
