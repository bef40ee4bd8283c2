import { CustomObjectsApi, KubeConfig, makeInformer, type KubernetesListObject, type KubernetesObject } from '@kubernetes/client-node';
import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import type { ApiObject } from '../fixtures/apiClient.js';
import type { ClusterCommands } from '../fixtures/kubectl.js';
import { packageRoot } from '../fixtures/packageRoot.js';
import { startHookService } from '../fixtures/hookService.js';
import type { JsonObject } from '../../api/object.js';
import { createIdentities } from '../fixtures/identities.js';
import type { ClusterUnderTest } from './clusterUnderTest.js';
import { commandsUnderTest } from './commandsUnderTest.js';

const definitionText = (name: string): string =>
  fs.readFileSync(path.join(packageRoot, 'test', 'fixtures', 'definitions', `${name}.yaml`), 'utf8');

const certificate = (name: string, secretName: string): string => `apiVersion: pki.example.com/v1
kind: Certificate
metadata: {name: ${name}}
spec:
  secretName: ${secretName}
  dnsNames: [a.example.com, b.example.com]
  issuerRef: {name: ca}
`;

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const pollMs = 20;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

describe('cluster/customResources', function () {
  this.timeout(180_000);
  let test: ClusterUnderTest;
  let commands: ClusterCommands;

  commandsUnderTest((started) => {
    ({ test, commands } = started);
  });

  const conditionsOf = (object: ApiObject): readonly Condition[] =>
    (object.status as { readonly conditions?: readonly Condition[] | null }).conditions ?? [];

  async function until<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
    for (;;) {
      const answer = await ask();
      if (holds(answer)) return answer;
      await delay(pollMs);
    }
  }

  const untilCondition = (name: string, type: string, status: string): Promise<ApiObject> =>
    until(
      () => test.client.expect(200, 'GET', `${definitions}/${name}`),
      (object) => conditionsOf(object).some((condition) => condition.type === type && condition.status === status),
    );

  const definition = (group: string, plural: string, kind: string, more: Readonly<Record<string, unknown>> = {}): object => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
      ...more,
    },
  });

  describe('through kubectl', () => {
    before(async () => {
      expect(await commands.kubectlWithInput(definitionText('certificates'), 'apply', '-f', '-')).to.contain(
        'certificates.pki.example.com created',
      );
      await commands.kubectl('wait', '--for', 'condition=established', '--timeout=60s', 'crd/certificates.pki.example.com');
    });

    it('applies objects, fills in defaults, and finds them by short name and category', async () => {
      expect(await commands.kubectlWithInput(certificate('web', 'web-tls'), 'apply', '-f', '-')).to.contain(
        'certificate.pki.example.com/web created',
      );
      expect(await commands.kubectlWithInput(certificate('web', 'web-tls'), 'apply', '-f', '-')).to.contain('unchanged');
      const object = parse(await commands.kubectl('get', 'cert', 'web', '-o', 'yaml')) as {
        readonly spec: unknown;
        readonly metadata: { readonly generation: number };
      };
      expect(object.spec).to.deep.equal({
        copies: 1,
        dnsNames: ['a.example.com', 'b.example.com'],
        duration: '2160h',
        issuerRef: { kind: 'Issuer', name: 'ca' },
        secretName: 'web-tls',
      });
      expect(object.metadata.generation).to.equal(1);
      expect(await commands.kubectl('get', 'pki', '-o', 'name')).to.equal('certificate.pki.example.com/web\n');
    });

    it('shows the columns of the definition', async () => {
      await commands.kubectl(
        'patch',
        'cert',
        'web',
        '--subresource=status',
        '--type=merge',
        '-p',
        '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}',
      );
      const [head = '', row = ''] = (await commands.kubectl('get', 'cert', 'web', '-o', 'wide')).split('\n');
      expect(head.split(/\s+/)).to.include.members(['NAME', 'READY', 'SECRET', 'ISSUER', 'AGE']);
      expect(row).to.match(/^web\s+True\s+web-tls\s+ca\s+\d+s\s*$/);
      await commands.kubectl('wait', '--for=condition=Ready', 'cert/web', '--timeout=10s');
    });

    it('explains the type', async () => {
      const text = await commands.kubectl('explain', 'certificate.spec');
      expect(text)
        .to.contain('What is wanted.')
        .and.to.match(/secretName\s+<string> -required-\n\s+Where the certificate is kept\./);
      expect(await commands.kubectl('explain', 'certificate.status.conditions', '--recursive')).to.match(/FIELD: conditions <\[\]Object>/);
      expect(await commands.kubectl('explain', 'certificate.spec', '--output=plaintext-openapiv2')).to.contain(
        'Where the certificate is kept.',
      );
    });

    it('scales', async () => {
      expect(await commands.kubectl('scale', 'cert', 'web', '--replicas=3')).to.contain('scaled');
      expect(await commands.kubectl('get', 'cert', 'web', '-o', 'jsonpath={.spec.copies} {.metadata.generation}')).to.equal('3 2');
    });

    it('watches', async () => {
      const watch = commands.start('kubectl', [
        'get',
        'cert',
        '-w',
        '--field-selector',
        'spec.secretName=watched',
        '-o',
        'jsonpath={.metadata.name} {.spec.duration}{"\\n"}',
      ]);
      let seen = '';
      watch.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        seen += chunk;
      });
      await commands.kubectlWithInput(certificate('other', 'unwatched'), 'apply', '-f', '-');
      await commands.kubectlWithInput(certificate('one', 'watched'), 'apply', '-f', '-');
      await until(
        () => Promise.resolve(seen),
        (text) => text.includes('one 2160h\n'),
      );
      await commands.kubectl('patch', 'cert', 'one', '--type=merge', '-p', '{"spec":{"duration":"1h"}}');
      await until(
        () => Promise.resolve(seen),
        (text) => text.includes('one 1h\n'),
      );
      expect(seen).not.to.contain('other');
      watch.kill();
    });

    it('refuses what does not fit the schema, and strategic merge', async () => {
      const bad = certificate('bad', 'x').replace('{name: ca}', '{name: ca, kind: Nobody}');
      const refused = await commands.try('kubectl', ['create', '-f', '-'], bad);
      expect(refused.stderr).to.contain('spec.issuerRef.kind: Unsupported value: "Nobody": supported values: "Issuer", "ClusterIssuer"');
      const unknown = await commands.try('kubectl', ['create', '-f', '-'], `${certificate('bad', 'x')}  colour: red\n`);
      expect(unknown.stderr).to.contain('unknown field "spec.colour"');
      expect((await commands.try('kubectl', ['patch', 'cert', 'web', '-p', '{"spec":{"duration":"2h"}}'])).stderr).to.contain(
        'strategic-merge-patch+json is not supported',
      );
    });

    it('applies on the server: keyed lists merge, sets join, conflicts name their owner', async () => {
      await commands.kubectlWithInput(certificate('shared', 'shared'), 'apply', '--server-side', '--field-manager=one', '-f', '-');
      const added = 'apiVersion: pki.example.com/v1\nkind: Certificate\nmetadata: {name: shared}\nspec: {dnsNames: [c.example.com]}\n';
      await commands.kubectlWithInput(added, 'apply', '--server-side', '--field-manager=two', '-f', '-');
      expect(await commands.kubectl('get', 'cert', 'shared', '-o', 'jsonpath={.spec.dnsNames}')).to.equal(
        '["a.example.com","b.example.com","c.example.com"]',
      );
      const conflict = await commands.try(
        'kubectl',
        ['apply', '--server-side', '--field-manager=two', '-f', '-'],
        added.replace('dnsNames: [c.example.com]', 'secretName: mine'),
      );
      expect(conflict.stderr).to.contain('conflict with "one": .spec.secretName');
      expect(
        await commands.kubectlWithInput(certificate('shared', 'shared'), 'diff', '--server-side', '--field-manager=one', '-f', '-'),
      ).to.equal('');
    });

    it('is dry-run applied by a client that thinks of the schema first', async () => {
      expect(await commands.kubectlWithInput(certificate('web', 'changed'), 'apply', '--dry-run=server', '-f', '-')).to.contain(
        '(server dry run)',
      );
      expect(await commands.kubectl('get', 'cert', 'web', '-o', 'jsonpath={.spec.secretName}')).to.equal('web-tls');
    });

    it('goes with its definition', async () => {
      await commands.kubectl('delete', 'crd', 'certificates.pki.example.com', '--timeout=60s');
      expect((await commands.try('kubectl', ['get', 'cert'])).stderr).to.match(
        /the server (doesn't have a resource type|could not find the requested resource)/,
      );
      await commands.kubectlWithInput(definitionText('certificates'), 'apply', '-f', '-');
      await commands.kubectl('wait', '--for', 'condition=established', '--timeout=60s', 'crd/certificates.pki.example.com');
      expect(await commands.kubectl('get', 'cert')).to.equal('');
      await commands.kubectl('delete', 'crd', 'certificates.pki.example.com', '--timeout=60s');
    });
  });

  it('is served by every replica from the moment that one says so', async () => {
    for (let round = 0; round < 5; round++) {
      const group = `round${round}.example.com`;
      const [first] = test.members;
      await test.at(first!).expect(201, 'POST', definitions, { body: definition(group, 'widgets', 'Widget') });
      await untilCondition(`widgets.${group}`, 'Established', 'True');
      for (const member of test.members) {
        expect(((await test.at(member).expect(200, 'GET', `/apis/${group}`)) as unknown as { readonly name: string }).name).to.equal(group);
        await test.at(member).expect(201, 'POST', `/apis/${group}/v1/namespaces/default/widgets`, {
          body: { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { generateName: 'w-' }, spec: { n: 1 } },
        });
        expect((await test.at(member).expect(200, 'GET', `/apis/${group}/v1`)).kind).to.equal('APIResourceList');
      }
      expect((await test.client.expect(200, 'GET', `/apis/${group}/v1/widgets`)).items).to.have.length(test.members.length);
      await test.client.expect(200, 'DELETE', `${definitions}/widgets.${group}`);
    }
  });

  it('shows objects in every version, whichever they were written in', async () => {
    await commands.kubectlWithInput(definitionText('backups'), 'apply', '-f', '-');
    await untilCondition('backups.storage.example.com', 'Established', 'True');
    const old = await commands.try(
      'kubectl',
      ['create', '-f', '-'],
      'apiVersion: storage.example.com/v1beta1\nkind: Backup\nmetadata: {name: nightly}\nspec: {schedule: "0 3 * * *", target: 5}\n',
    );
    expect(old.stderr).to.contain('storage.example.com/v1beta1 Backup is deprecated; use storage.example.com/v1 Backup');
    const newer = (await test.client.expect(200, 'GET', '/apis/storage.example.com/v1/backups/nightly')) as ApiObject & {
      readonly spec: unknown;
    };
    expect(newer.apiVersion).to.equal('storage.example.com/v1');
    expect(newer.spec).to.deep.equal({ schedule: '0 3 * * *', keep: 7, target: 5 });
    const watch = test.client.watch('/apis/storage.example.com/v1/backups?watch=1');
    await watch.until((events) => events.length > 0);
    expect(watch.events[0]?.object.apiVersion).to.equal('storage.example.com/v1');
    // The stored version changes, and watches end.
    const patch = [
      { op: 'replace', path: '/spec/versions/0/storage', value: false },
      { op: 'replace', path: '/spec/versions/1/storage', value: true },
    ];
    const flipped = await test.client.expect(200, 'PATCH', `${definitions}/backups.storage.example.com`, {
      body: patch,
      type: 'application/json-patch+json',
    });
    expect((flipped.status as { readonly storedVersions: unknown }).storedVersions).to.deep.equal(['v1beta1', 'v1']);
    await until(
      () => Promise.resolve(watch.ended),
      (reason) => reason !== null,
    );
    expect(watch.ended).to.equal('the server ended it');
    const before = (await test.client.expect(200, 'GET', '/apis/storage.example.com/v1/backups/nightly')).metadata.resourceVersion;
    // A write without change converts the object to the stored version.
    const after = await test.client.expect(200, 'PATCH', '/apis/storage.example.com/v1/backups/nightly', {
      body: {},
      type: 'application/merge-patch+json',
    });
    expect(after.metadata.resourceVersion).not.to.equal(before);
    const again = await test.client.expect(200, 'PATCH', '/apis/storage.example.com/v1/backups/nightly', {
      body: {},
      type: 'application/merge-patch+json',
    });
    expect(again.metadata.resourceVersion).to.equal(after.metadata.resourceVersion);
    await test.client.expect(200, 'DELETE', `${definitions}/backups.storage.example.com`);
  });

  it('lets a webhook convert objects: on reads, lists, writes and watches, and says so when it cannot', async () => {
    const hook = await startHookService(await createIdentities());
    const convert = (object: JsonObject, apiVersion: string): JsonObject => {
      const { name = '', first = '', last = '' } = object['spec'] as Record<string, string>;
      return {
        ...object,
        apiVersion,
        spec: apiVersion.endsWith('/v1') ? { name: `${first} ${last}` } : { first: name.split(' ')[0], last: name.split(' ')[1] },
      } as JsonObject;
    };
    hook.reply = (review) => {
      const { objects, desiredAPIVersion } = review['request'] as unknown as {
        readonly objects: JsonObject[];
        readonly desiredAPIVersion: string;
      };
      return { result: { status: 'Success' }, convertedObjects: objects.map((object) => convert(object, desiredAPIVersion)) };
    };
    const group = 'converted.example.com';
    const schema = (...names: readonly string[]): object => ({
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) } },
      },
    });
    const conversion = {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: hook.url, caBundle: hook.caBundle } },
    };
    await test.client.expect(201, 'POST', definitions, {
      body: definition(group, 'people', 'Person', {
        conversion,
        versions: [
          { name: 'v1', served: true, storage: true, schema: schema('name') },
          { name: 'v2', served: true, storage: false, schema: schema('first', 'last') },
        ],
      }),
    });
    await untilCondition(`people.${group}`, 'Established', 'True');
    const collection = (version: string): string => `/apis/${group}/${version}/namespaces/default/people`;
    const specOf = (object: unknown): unknown => (object as { readonly spec: unknown }).spec;
    const watch = test.client.watch(`${collection('v2')}?watch=1`);
    await watch.opened;
    await test.client.expect(201, 'POST', collection('v1'), {
      body: { apiVersion: `${group}/v1`, kind: 'Person', metadata: { name: 'ada' }, spec: { name: 'Ada Lovelace' } },
    });
    const created = await test.client.expect(201, 'POST', collection('v2'), {
      body: { apiVersion: `${group}/v2`, kind: 'Person', metadata: { name: 'alan' }, spec: { first: 'Alan', last: 'Turing' } },
    });
    expect(specOf(created)).to.deep.equal({ first: 'Alan', last: 'Turing' });
    expect(specOf(await test.client.expect(200, 'GET', `${collection('v1')}/alan`))).to.deep.equal({ name: 'Alan Turing' });
    const patched = await test.client.expect(200, 'PATCH', `${collection('v2')}/ada`, {
      body: { spec: { last: 'Byron' } },
      type: 'application/merge-patch+json',
    });
    expect(specOf(patched)).to.deep.equal({ first: 'Ada', last: 'Byron' });
    for (const member of test.members) {
      await test.caughtUp(member);
      const { items = [] } = await test.at(member).expect(200, 'GET', collection('v2'));
      expect(items.map(specOf), member.id).to.deep.equal([
        { first: 'Ada', last: 'Byron' },
        { first: 'Alan', last: 'Turing' },
      ]);
    }
    await watch.until((events) => events.length >= 3);
    expect(watch.events.map(({ type, object }) => [type, object.apiVersion, specOf(object)])).to.deep.equal([
      ['ADDED', `${group}/v2`, { first: 'Ada', last: 'Lovelace' }],
      ['ADDED', `${group}/v2`, { first: 'Alan', last: 'Turing' }],
      ['MODIFIED', `${group}/v2`, { first: 'Ada', last: 'Byron' }],
    ]);
    watch.close();
    hook.close();
    await test.client.expect(201, 'POST', collection('v1'), {
      body: { apiVersion: `${group}/v1`, kind: 'Person', metadata: { name: 'grace' }, spec: { name: 'Grace Hopper' } },
    });
    const failed = await test.client.request('GET', `${collection('v2')}/grace`);
    expect(failed.status).to.equal(500);
    expect((failed.body as ApiObject).message).to.contain(`conversion for ${group}/v1, Kind=Person failed`);
    expect((await test.client.expect(200, 'GET', collection('v1'))).items).to.have.length(3);
    await test.client.expect(200, 'DELETE', `${definitions}/people.${group}`);
    await until(
      () => test.client.request('GET', `${definitions}/people.${group}`),
      ({ status }) => status === 404,
    );
  });

  it('gives a name to one definition only, and to the next one when that is gone', async () => {
    const group = 'names.example.com';
    await test.client.expect(201, 'POST', definitions, { body: definition(group, 'apples', 'Fruit') });
    await untilCondition(`apples.${group}`, 'Established', 'True');
    await test.client.expect(201, 'POST', definitions, { body: definition(group, 'pears', 'Fruit') });
    const waiting = await untilCondition(`pears.${group}`, 'NamesAccepted', 'False');
    expect(conditionsOf(waiting)).to.deep.include.members([
      {
        ...conditionsOf(waiting)[0],
        type: 'NamesAccepted',
        status: 'False',
        reason: 'ListKindConflict',
        message: '"FruitList" is already in use',
      },
      { ...conditionsOf(waiting)[1], type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
    ]);
    expect((await test.client.request('GET', `/apis/${group}/v1/pears`)).status).to.equal(404);
    await test.client.expect(200, 'DELETE', `${definitions}/apples.${group}`);
    await untilCondition(`pears.${group}`, 'Established', 'True');
    await test.client.expect(200, 'GET', `/apis/${group}/v1/pears`);
    await test.client.expect(200, 'DELETE', `${definitions}/pears.${group}`);
  });

  it('refuses new objects while a definition waits for the last ones to go', async () => {
    const group = 'ending.example.com';
    const collection = `/apis/${group}/v1/namespaces/default/things`;
    const thing = (name: string, finalizers: readonly string[]): object => ({
      apiVersion: `${group}/v1`,
      kind: 'Thing',
      metadata: { name, finalizers },
    });
    await test.client.expect(201, 'POST', definitions, { body: definition(group, 'things', 'Thing') });
    await untilCondition(`things.${group}`, 'Established', 'True');
    await test.client.expect(201, 'POST', collection, { body: thing('held', ['example.com/hold']) });
    await test.client.expect(201, 'POST', collection, { body: thing('free', []) });
    const marked = await test.client.expect(200, 'DELETE', `${definitions}/things.${group}`);
    expect(conditionsOf(marked).map(({ type, status, reason }) => [type, status, reason])).to.deep.include([
      'Terminating',
      'True',
      'InstanceDeletionPending',
    ]);
    await until(
      () => test.client.request('GET', `${collection}/free`),
      ({ status }) => status === 404,
    );
    const refused = await until(
      () => test.client.request('POST', collection, { body: thing('late', []) }),
      ({ status }) => status === 403,
    );
    expect((refused.body as ApiObject).message).to.equal(
      `things.${group} "late" is forbidden: create not allowed while custom resource definition is terminating`,
    );
    await test.client.expect(200, 'GET', `${collection}/held`);
    await test.client.expect(200, 'PATCH', `${collection}/held`, {
      body: { metadata: { finalizers: null } },
      type: 'application/merge-patch+json',
    });
    await until(
      () => test.client.request('GET', `${definitions}/things.${group}`),
      ({ status }) => status === 404,
    );
    await until(
      () => test.client.request('GET', collection),
      ({ status }) => status === 404,
    );
  });

  it('tells informers of the JavaScript client every change', async () => {
    const group = 'informed.example.com';
    await test.client.expect(201, 'POST', definitions, { body: definition(group, 'parts', 'Part') });
    await untilCondition(`parts.${group}`, 'Established', 'True');
    const config = new KubeConfig();
    config.loadFromFile(test.cluster.kubeconfig);
    const api = config.makeApiClient(CustomObjectsApi);
    const list = async (): Promise<KubernetesListObject<KubernetesObject>> =>
      (await api.listNamespacedCustomObject({
        group,
        version: 'v1',
        namespace: 'default',
        plural: 'parts',
      })) as KubernetesListObject<KubernetesObject>;
    const informer = makeInformer(config, `/apis/${group}/v1/namespaces/default/parts`, list);
    const seen: string[] = [];
    for (const event of ['add', 'update', 'delete'] as const)
      informer.on(event, (object) => {
        seen.push(`${event} ${object.metadata?.name ?? ''}`);
      });
    await api.createNamespacedCustomObject({
      group,
      version: 'v1',
      namespace: 'default',
      plural: 'parts',
      body: { apiVersion: `${group}/v1`, kind: 'Part', metadata: { name: 'old' } },
    });
    await informer.start();
    await api.createNamespacedCustomObject({
      group,
      version: 'v1',
      namespace: 'default',
      plural: 'parts',
      body: { apiVersion: `${group}/v1`, kind: 'Part', metadata: { name: 'new' }, spec: { n: 1 } },
    });
    await test.client.expect(200, 'PATCH', `/apis/${group}/v1/namespaces/default/parts/new`, {
      body: { spec: { n: 2 } },
      type: 'application/merge-patch+json',
    });
    await api.deleteNamespacedCustomObject({ group, version: 'v1', namespace: 'default', plural: 'parts', name: 'old' });
    await until(
      () => Promise.resolve(seen),
      (events) => events.includes('delete old'),
    );
    expect(seen).to.deep.equal(['add old', 'add new', 'update new', 'delete old']);
    await informer.stop();
    await test.client.expect(200, 'DELETE', `${definitions}/parts.${group}`);
  });
});
