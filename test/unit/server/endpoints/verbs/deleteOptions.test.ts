import { expect } from 'chai';
import { call, type Answer } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

/** Numbers in options: others than 64-bit integers delete nothing. */
const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';

const refusedJson = [
  '99999999999999999999',
  '-99999999999999999999',
  '9223372036854775808',
  '-9223372036854775809',
  '1e30',
  '1e2',
  '1.0',
  '0.5',
  '"1"',
  'true',
  '[]',
  '{}',
];
const takenJson = ['0', '-0', '1', '-1', '9223372036854775807', '-9223372036854775808', 'null'];
/** A YAML number counts by its value. */
const refusedYaml = ['99999999999999999999', '1e30', '0.5', '"1"', 'yes'];
const takenYaml = ['0', '-0', '0x10', '1e2', '1.0', '9223372036854775807', '~'];

describe('options of a deletion', () => {
  let server: TestServer;
  const remove = (path: string, raw: string, type = 'application/json'): Promise<Answer> => call(server.url, 'DELETE', path, { raw, type });
  const isThere = async (name: string): Promise<boolean> => (await call(server.url, 'GET', `${maps}/${name}`)).status === 200;
  const create = (name: string): Promise<Answer> => call(server.url, 'POST', maps, { body: { metadata: { name, labels: { one: name } } } });

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const forms: readonly (readonly [
    type: string,
    write: (value: string) => string,
    refused: readonly string[],
    taken: readonly string[],
  ])[] = [
    ['application/json', (value) => `{"gracePeriodSeconds":${value}}`, refusedJson, takenJson],
    [
      'application/json',
      (value) => `{"kind":"DeleteOptions","apiVersion":"policy/v1","gracePeriodSeconds":${value},"unknown":1}`,
      refusedJson,
      takenJson,
    ],
    ['application/yaml', (value) => `gracePeriodSeconds: ${value}\n`, refusedYaml, takenYaml],
  ];
  it('take empty conditions of the query as none', async () => {
    await create('b');
    const answer = await call(server.url, 'DELETE', `${maps}/b?resourceVersion=&uid=`);
    expect([answer.status, await isThere('b')]).to.deep.equal([200, false]);
  });

  for (const [type, write, refused, taken] of forms) {
    it(`are checked before anything goes: ${type} ${write('N').trim()}`, async () => {
      await create('a');
      for (const value of refused) {
        for (const path of [`${maps}/a`, `${maps}?labelSelector=one%3Da`]) {
          const { status, body } = await remove(path, write(value), type);
          expect([status, value]).to.deep.equal([400, value]);
          expect(body['message']).to.match(
            /json: cannot unmarshal .* into Go struct field DeleteOptions\.gracePeriodSeconds of type int64/,
          );
        }
        expect(await isThere('a'), value).to.equal(true);
      }
      for (const value of taken) {
        await create('b');
        expect([(await remove(`${maps}/b`, write(value), type)).status, value]).to.deep.equal([200, value]);
        expect(await isThere('b'), value).to.equal(false);
      }
    });
  }

  it('have the types that the reference says, member by member', async () => {
    await create('c');
    const wrong: readonly (readonly [body: string, message: string])[] = [
      [
        '{"propagationPolicy":1}',
        'json: cannot unmarshal number into Go struct field DeleteOptions.propagationPolicy of type v1.DeletionPropagation',
      ],
      [
        '{"preconditions":{"uid":1}}',
        'json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID',
      ],
      ['{"orphanDependents":"x"}', 'json: cannot unmarshal string into Go struct field DeleteOptions.orphanDependents of type bool'],
      [
        '{"kind":"Pod"}',
        'no kind "Pod" is registered for version "v1" in scheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"',
      ],
      ['{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c'],
      ['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    ];
    for (const [raw, message] of wrong) expect((await remove(`${maps}/c`, raw)).body).to.include({ code: 400, message });
    expect(await isThere('c')).to.equal(true);
  });

  it('may ask for more time than the calendar has', async () => {
    for (const [name, ask] of [
      ['p1', '?gracePeriodSeconds=9223372036854775807'],
      ['p2', ''],
    ] as const) {
      await call(server.url, 'POST', pods, {
        body: { metadata: { name }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } },
      });
      const answer =
        ask === ''
          ? await remove(`${pods}/${name}`, '{"gracePeriodSeconds":9223372036854775807}')
          : await call(server.url, 'DELETE', `${pods}/${name}${ask}`);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body).to.have.nested.property('metadata.deletionTimestamp', '9999-12-31T23:59:59Z');
    }
  });
});
