import { expect } from 'chai';
import { call, type Answer } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

/** Invalid patches: when they are refused, with which message. */
const maps = '/api/v1/namespaces/default/configmaps';
const types = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

describe('endpoints/faulty patches', () => {
  let server: TestServer;
  const send = (type: keyof typeof types, raw: string, query = '', name = 'there'): Promise<Answer> =>
    call(server.url, 'PATCH', `${maps}/${name}?fieldManager=m${query}`, { type: types[type], raw });
  const verdict = ({ status, body, headers }: Answer): unknown[] => [status, status < 300 ? headers['warning'] : body['message']];

  before(async () => {
    server = await startTestServer();
    await call(server.url, 'POST', maps, { body: { metadata: { name: 'there' }, data: { k: '1' } } });
  });
  after(() => server.close());

  for (const type of ['merge', 'json', 'strategic'] as const)
    it(`of what is not there are not looked at (${type})`, async () => {
      expect(verdict(await send(type, '{', '', 'absent'))).to.deep.equal([404, 'configmaps "absent" not found']);
    });

  const noObject = 'json: cannot unmarshal array into Go value of type map[string]interface {}';
  const ended = 'unexpected end of JSON input';
  for (const [type, raw, query, message] of [
    ['merge', '{', '', `error decoding patch: ${ended}`],
    ['merge', '{', '&fieldValidation=Ignore', 'Invalid JSON Patch'],
    ['merge', 'null', '', 'Invalid JSON Patch'],
    ['merge', '[]', '', `error decoding patch: ${noObject}`],
    ['json', '[', '', `error decoding patch: ${ended}`],
    ['json', '[', '&fieldValidation=Ignore', ended],
    ['json', '{}', '&fieldValidation=Ignore', 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    ['strategic', '{', '', ended],
    ['strategic', '[]', '', noObject],
    ['apply', 'a: [', '', /^error decoding YAML: error converting YAML to JSON: yaml: /],
    ['apply', '[]', '', `error decoding YAML: error unmarshaling JSON: while decoding JSON: ${noObject}`],
    ['apply', 'apiVersion: v1\nmetadata: {name: there}', '', 'invalid object type: /v1, Kind='],
    ['apply', 'apiVersion: apps/v1\nkind: Deployment\n', '', 'invalid object type: apps/v1, Kind=Deployment'],
    ['apply', 'apiVersion: a/b/c\nkind: ConfigMap\n', '', 'invalid object type: /, Kind=ConfigMap'],
  ] as const) {
    it(`are refused in the words of the reference: ${type} ${JSON.stringify(raw)} ${query}`, async () => {
      const answer = await send(type, raw, query);
      expect(answer.status).to.equal(400);
      if (message instanceof RegExp) expect(answer.body['message']).to.match(message);
      else expect(answer.body['message']).to.equal(message);
    });
  }

  describe('with integers that their fields cannot hold', () => {
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template };
    before(() => call(server.url, 'POST', deployments, { body: { metadata: { name: 'd' }, spec } }));
    const scaled = (type: keyof typeof types, replicas: string): Promise<Answer> => {
      const raw = `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":${replicas}}}`;
      return call(server.url, 'PATCH', `${deployments}/d?fieldManager=m&dryRun=All${type === 'apply' ? '&force=true' : ''}`, {
        type: types[type],
        raw,
      });
    };
    const shown = ({ status, body }: Answer): unknown[] =>
      status < 300 ? [status, (body['spec'] as { replicas?: number }).replicas] : [status, body['message']];

    for (const type of ['strategic', 'apply'] as const)
      it(`keep the bits that fit (${type})`, async () => {
        expect(shown(await scaled(type, '4294967298'))).to.deep.equal([200, 2]);
        expect(shown(await scaled(type, '9223372036854775808'))).to.deep.equal([200, 0]);
        expect(shown(await scaled(type, '2147483648'))).to.deep.equal([
          422,
          'Deployment.apps "d" is invalid: spec.replicas: Invalid value: -2147483648: must be greater than or equal to 0',
        ]);
      });

    it('and bytes that are none are reported as values in memory', async () => {
      const raw = '{"apiVersion":"v1","kind":"Secret","data":{"a":"?"}}';
      const secrets = '/api/v1/namespaces/default/secrets/absent?fieldManager=m';
      const { body } = await call(server.url, 'PATCH', secrets, { type: types.apply, raw });
      expect(body['message']).to.match(/: error decoding from json: illegal base64 data at input byte 0$/);
    });

    it('are refused where they are spelled as fractions, but for the kinds of patches that have no text (evanphx/json-patch, patch.go)', async () => {
      const replaced = (text: string): Promise<Answer> =>
        call(server.url, 'PATCH', `${deployments}/d?dryRun=All`, {
          type: types.json,
          raw: `[{"op":"replace","path":"/spec/replicas","value":${text}}]`,
        });
      for (const text of ['2.0', '-0.0', '2e0', '2.50'])
        for (const refused of [await scaled('merge', text), await replaced(text)]) {
          expect(refused.status).to.equal(422);
          expect(refused.body['message']).to.contain(
            `: json: cannot unmarshal number ${text} into Go struct field DeploymentSpec.spec.replicas of type int32`,
          );
        }
      for (const taken of [await scaled('merge', '-0'), await scaled('strategic', '-0.0')]) expect(shown(taken)).to.deep.equal([200, 0]);
      expect(shown(await scaled('strategic', '2.0'))).to.deep.equal([200, 2]);
    });

    it('are refused where the patched text is read', async () => {
      expect(shown(await scaled('merge', '4294967298'))[1]).to.match(
        /cannot unmarshal number 4294967298 into Go struct field \S+ of type int32$/,
      );
    });
  });

  it('with members that no operation has are reported, or refused', async () => {
    const raw = '[{"op":"add","path":"/data/a","value":"1","odd":1,"op":"add"}]';
    expect(verdict(await send('json', raw))).to.deep.equal([
      200,
      '299 - "json patch unknown field \\"[0].odd\\"", 299 - "json patch duplicate field \\"[0].op\\""',
    ]);
    expect(verdict(await send('json', raw, '&fieldValidation=Ignore'))).to.deep.equal([200, undefined]);
    const refused = await send('json', raw, '&fieldValidation=Strict');
    expect(refused.status).to.equal(422);
    expect(refused.body['message']).to.match(
      /: strict decoding error: json patch unknown field "\[0\]\.odd", json patch duplicate field "\[0\]\.op"$/,
    );
  });

  it('that repeat a member are reported by the line, or refused, but not before it is known whose fields they are', async () => {
    const raw = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: there}\ndata:\n  own: a\n  own: b\n';
    expect(verdict(await send('apply', raw))).to.deep.equal([200, '299 - "line 6: key \\"own\\" already set in map"']);
    const line =
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "own" already set in map';
    expect(verdict(await send('apply', raw, '&fieldValidation=Strict'))).to.deep.equal([400, line]);
    const anothers = await call(server.url, 'PATCH', `${maps}/there?fieldManager=other&fieldValidation=Strict`, {
      type: types.apply,
      raw: raw.replaceAll('own: ', 'own: other'),
    });
    expect([anothers.status, anothers.body['reason']]).to.deep.equal([409, 'Conflict']);
  });

  it('take away or change what the object is called, as far as that is still read', async () => {
    const undeterminable = 'the name of the object (there based on URL) was undeterminable: name must be provided';
    const ending = async (type: keyof typeof types, raw: string, query = ''): Promise<unknown[]> => {
      const { status, body, headers } = await send(type, raw, query);
      return [status, String(body['message'] ?? body['kind']).replace(/^.*Invalid value: ".*": /, ''), headers['warning']];
    };
    const unregistered = (kind: string, version: string): string =>
      `no kind "${kind}" is registered for version "${version}" in scheme "pkg/api/legacyscheme/scheme.go:30"`;
    expect([
      await ending('merge', '{"kind":null}'),
      await ending('json', '[{"op":"replace","path":"/kind","value":""}]'),
      await ending('strategic', '{"kind":"Secret","apiVersion":"v9"}'),
      await ending('merge', '{"apiVersion":null}'),
      await ending('merge', '{"apiVersion":"","kind":"","x":1}', '&fieldValidation=Ignore'),
      await ending('json', '[{"op":"remove","path":"/apiVersion"}]', '&fieldValidation=Strict'),
      await ending('merge', '{"kind":"Foo"}'),
      await ending('merge', '{"apiVersion":"v2"}'),
      await ending('merge', '{"apiVersion":"a/b/c"}'),
      await ending('merge', '{"kind":"DeleteOptions"}'),
      await ending('merge', '{"kind":1}'),
    ]).to.deep.equal([
      [200, 'ConfigMap', undefined],
      [200, 'ConfigMap', undefined],
      [200, 'ConfigMap', undefined],
      [400, undeterminable, '299 - "unknown field \\"data\\"", 299 - "unknown field \\"metadata\\""'],
      [400, undeterminable, undefined],
      [422, 'strict decoding error: unknown field "data", unknown field "metadata"', undefined],
      [422, unregistered('Foo', 'v1'), undefined],
      [422, unregistered('ConfigMap', 'v2'), undefined],
      [422, 'unexpected GroupVersion string: a/b/c', undefined],
      [422, 'converting (v1.DeleteOptions) to (core.ConfigMap): unknown conversion', undefined],
      [
        422,
        "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
        undefined,
      ],
    ]);
  });
});
