import { expect } from 'chai';
import type { Answer, Call } from '../server/endpoints/client.js';

export type Ask = (method: string, path: string, more?: Call) => Promise<Answer>;

/** A statement of the specification that a kube-apiserver 1.36 does not keep: clients decide, so that its answer is given here as well. */
export interface Statement {
  readonly about: string;
  readonly document: string;
  readonly answer: string;
  /** Asks a server with the ConfigMaps `a` and `b`, and fails where the answer is another one. */
  readonly holds: (ask: Ask) => Promise<void>;
}

export const configMaps = '/api/v1/namespaces/default/configmaps';
const unknown = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, index) => [`odd${index + 1_000}`, 1]));
const patched = async (ask: Ask, type: string, body: unknown, query: string): Promise<number> =>
  (await ask('PATCH', `${configMaps}/a?${query}`, { body, type })).status;

export const statements: readonly Statement[] = [
  {
    about: '`metadata.continue` of a complete list',
    document: 'an empty text',
    answer: 'absent',
    holds: async (ask) => {
      expect((await ask('GET', configMaps)).body['metadata']).to.have.all.keys('resourceVersion');
    },
  },
  {
    about: '`dryRun` without a value',
    document: 'accepted',
    answer: '422',
    holds: async (ask) => {
      const body = { metadata: { name: 'new' } };
      for (const query of ['dryRun', 'dryRun=']) expect((await ask('POST', `${configMaps}?${query}`, { body })).status).to.equal(422);
    },
  },
  {
    about: 'unknown fields in JSON, merge and strategic merge patches under `fieldValidation=Strict`',
    document: '400',
    answer: '422',
    holds: async (ask) => {
      const strict = 'fieldValidation=Strict';
      expect(await patched(ask, 'application/merge-patch+json', { odd: 1 }, strict)).to.equal(422);
      expect(await patched(ask, 'application/strategic-merge-patch+json', { odd: 1 }, strict)).to.equal(422);
      expect(await patched(ask, 'application/json-patch+json', [{ op: 'add', path: '/odd', value: 1 }], strict)).to.equal(422);
    },
  },
  {
    about: 'unknown fields of an apply',
    document: '400 under Strict, dropped otherwise',
    answer: '500 in every mode',
    holds: async (ask) => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, odd: 1 };
      for (const mode of ['Strict', 'Warn', 'Ignore'])
        expect(await patched(ask, 'application/apply-patch+yaml', body, `fieldManager=m&fieldValidation=${mode}`)).to.equal(500);
    },
  },
  {
    about: 'unknown fields that are named',
    document: 'all',
    answer: 'the first 100',
    holds: async (ask) => {
      const body = { metadata: { name: 'many' }, ...unknown(300) };
      const { body: refusal } = await ask('POST', `${configMaps}?dryRun=All&fieldValidation=Strict`, { body });
      expect(String(refusal['message']).match(/unknown field/g)).to.have.length(100);
    },
  },
  {
    about: '`Accept-Encoding: gzip`',
    document: 'every get and list is compressed',
    answer: 'those of 128 KiB and more; weights such as `gzip;q=1.0` are not understood',
    holds: async (ask) => {
      await ask('POST', configMaps, { body: { metadata: { name: 'big' }, data: { k: 'x'.repeat(200_000) } } });
      const encodingOf = async (name: string, accepted: string): Promise<unknown> =>
        (await ask('GET', `${configMaps}/${name}`, { headers: { 'accept-encoding': accepted } })).headers['content-encoding'];
      expect(await encodingOf('a', 'gzip')).to.equal(undefined);
      expect(await encodingOf('big', 'gzip;q=1.0')).to.equal(undefined);
    },
  },
  {
    about: '`limit` with `resourceVersion=0`',
    document: 'holds',
    answer: 'everything is answered from the watch cache',
    holds: async (ask) => {
      const { body } = await ask('GET', `${configMaps}?limit=1&resourceVersion=0`);
      expect(body['items']).to.have.length(2);
    },
  },
  {
    about: '`watch` on the path of one object',
    document: 'a stream of events',
    answer: 'the object',
    holds: async (ask) => {
      expect((await ask('GET', `${configMaps}/a?watch=1`)).body).to.include({ kind: 'ConfigMap' });
    },
  },
  {
    about: 'a watch with `Accept: application/yaml, application/json`',
    document: 'a supported type is picked',
    answer: '406',
    holds: async (ask) => {
      const headers = { accept: 'application/yaml, application/json' };
      expect((await ask('GET', `${configMaps}?watch=1`, { headers })).status).to.equal(406);
    },
  },
  {
    about: 'the status of a successful POST',
    document: '200 in its examples',
    answer: '201',
    holds: async (ask) => {
      expect((await ask('POST', configMaps, { body: { metadata: { name: 'c' } } })).status).to.equal(201);
    },
  },
];

/** The table of docs/compatibility.md. */
export const statementTable = (): string =>
  ['| statement about | the document | a kube-apiserver 1.36, and raftplane |', '|---|---|---|']
    .concat(statements.map(({ about, document, answer }) => `| ${about} | ${document} | ${answer} |`))
    .join('\n');
