import { expect } from 'chai';
import type { ApiObject, JsonObject } from '../../../../../api/object.js';
import { patchReply, startHookService, type HookService } from '../../../../fixtures/hookService.js';
import { createIdentities } from '../../../../fixtures/identities.js';
import { startHookServer, type HookServer } from './hookServer.js';

/** Changes by webhooks besides the content, and errors for bad patches. Sources: BeforeCreate, managedFieldsValidatingAdmissionController. */
describe('webhooks of admission, changes of metadata', () => {
  let server: HookServer;
  let service: HookService;
  const maps = '/api/v1/namespaces/default/configmaps';
  const map = (name: string, more: JsonObject = {}): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...more });

  before(async () => {
    service = await startHookService(await createIdentities());
    server = await startHookServer();
    await server.configure('mutating', {
      clientConfig: { url: service.url, caBundle: service.caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
    });
  });
  after(async () => {
    service.close();
    await server.close();
  });

  type Answer = Awaited<ReturnType<HookServer['request']>>;
  const create = (name: string, operations: readonly JsonObject[]): Promise<Answer> => {
    service.reply = patchReply(operations);
    return server.request('POST', maps, map(name, { data: { a: '1' } }));
  };
  const update = (name: string, operations: readonly JsonObject[]): Promise<Answer> => {
    service.reply = patchReply(operations);
    return server.request('PATCH', `${maps}/${name}`, { data: { a: '2' } }, 'application/merge-patch+json');
  };
  const ownersOf = ({ body }: Answer): unknown => (body as unknown as ApiObject).metadata.managedFields;
  const mismatch = 'the namespace of the provided object does not match the namespace sent on the request';

  it('are no way into another namespace', async () => {
    const move = [{ op: 'replace', path: '/metadata/namespace', value: 'kube-system' }];
    const created = await create('moved', move);
    expect([created.status, created.body['message']]).to.deep.equal([400, mismatch]);
    expect((await create('moved', [{ op: 'remove', path: '/metadata/namespace' }])).status).to.equal(201);
    const updated = await update('moved', move);
    expect([updated.status, updated.body['message']]).to.deep.equal([400, mismatch]);
  });

  it('may take away who owns what', async () => {
    const forget = [{ op: 'replace', path: '/metadata/managedFields', value: [] }];
    expect(ownersOf(await create('forgotten', forget))).to.equal(undefined);
    await create('known', []);
    expect(ownersOf(await update('known', forget))).to.equal(undefined);
    expect(ownersOf(await server.request('GET', `${maps}/known`))).to.equal(undefined);
  });

  // The field manager runs before admission: the first of the transformers in endpoints/handlers/update.go.
  it('make nobody an owner, not even of an object without owners', async () => {
    service.reply = patchReply([]);
    await server.request('POST', maps, map('unowned', { data: { a: '1' } }));
    service.reply = patchReply([{ op: 'add', path: '/data', value: { b: '2' } }]);
    const { body } = await server.request('PUT', `${maps}/unowned`, map('unowned'));
    expect([body['data'], (body as unknown as ApiObject).metadata.managedFields]).to.deep.equal([{ b: '2' }, undefined]);
  });

  const wrong: readonly (readonly [path: string, value: string, problem: string])[] = [
    ['operation', 'Guess', 'operation must be `Apply` or `Update`'],
    ['apiVersion', '', 'apiVersion must not be empty'],
    ['fieldsType', '', 'missing fieldsType in managed fields entry 0'],
    ['fieldsType', 'FieldsV0', 'invalid fieldsType "FieldsV0" in managed fields entry 0'],
  ];
  for (const [member, value, problem] of wrong)
    it(`do not count where nobody could read who owns what: ${problem}`, async () => {
      const name = `unread-${member.toLowerCase()}-${value.length}`;
      const spoil = [{ op: 'replace', path: `/metadata/managedFields/0/${member}`, value }];
      for (const answer of [await create(name, spoil), await update(name, spoil)]) {
        expect(ownersOf(answer)).to.have.length(1);
        expect((ownersOf(answer) as JsonObject[])[0]).to.include({ operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' });
        expect(answer.warnings.join().replaceAll('\\"', '"'))
          .to.contain('.metadata.managedFields was in an invalid state after admission')
          .and.contain(problem);
      }
    });

  const misfits: readonly (readonly [operation: JsonObject, reported: string])[] = [
    [{ op: 'add', path: '/nope/x', value: 'y' }, 'add operation does not apply: doc is missing path: "/nope/x": missing value'],
    [{ op: 'test', path: '/metadata/name', value: 'z' }, 'testing value /metadata/name failed: test failed'],
    [{ op: 'remove', path: '/data/none' }, "error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value"],
    [
      { op: 'remove', path: '/metadata/managedFields/9' },
      "error in remove for path: '/metadata/managedFields/9': Unable to access invalid index: 9: invalid index referenced",
    ],
    [{ op: 'replace', path: '/nope/x', value: 1 }, 'replace operation does not apply: doc is missing path: /nope/x: missing value'],
    [{ op: 'move', from: '/nope/x', path: '/data/b' }, 'move operation does not apply: doc is missing from path: /nope/x: missing value'],
    [
      { op: 'copy', from: '/data/a', path: '/nope/x' },
      'copy operation does not apply: doc is missing destination path: /nope/x: missing value',
    ],
    [{ op: 'guess', path: '/data/a' }, 'Unexpected kind: guess'],
  ];
  for (const [operation, reported] of misfits)
    it(`are sent: ${reported}`, async () => {
      const { status, body } = await create('misfit', [operation]);
      expect([status, body['message']]).to.deep.equal([500, `Internal error occurred: ${reported}`]);
    });

  it('warn in any language', async () => {
    service.reply = { allowed: true, warnings: ['Größe prüfen'] };
    const { warnings } = await server.request('POST', maps, map('warned'));
    expect(warnings.map((text) => Buffer.from(text, 'latin1').toString('utf8')).join()).to.contain('Größe prüfen');
  });
});
