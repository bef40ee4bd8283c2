import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { firstDecision } from '../../../server/authorization/authorizer.js';
import { readAuthorizationConfiguration } from '../../../server/authorization/configuration.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { call, type Answer, type Call } from '../server/endpoints/client.js';
import { startTestServer } from '../server/endpoints/harness.js';

export type Ask = (method: string, path: string, more?: Call) => Promise<Answer>;

/** A statement of the specification that kube-apiserver 1.36 violates. Clients depend on its behaviour, so this server has the same. */
export interface Statement {
  readonly about: string;
  readonly document: string;
  readonly answer: string;
  /** Queries a server with the ConfigMaps `a` and `b`, and fails on another answer. */
  readonly holds: (ask: Ask) => unknown;
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
    about: '`metadata.deletionTimestamp` of a pod with a grace period',
    document: 'the time of the request',
    answer: 'the time at which the period ends',
    holds: async (ask) => {
      const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };
      expect((await ask('POST', '/api/v1/namespaces/default/pods', { body: pod })).status).to.equal(201);
      const { body } = await ask('DELETE', '/api/v1/namespaces/default/pods/p?gracePeriodSeconds=3600');
      const { creationTimestamp, deletionTimestamp } = body['metadata'] as Readonly<Record<string, string>>;
      expect(Date.parse(deletionTimestamp!) - Date.parse(creationTimestamp!)).to.be.at.least(3_600_000 - 1_000);
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
  {
    about: '`AuthorizationConfiguration`: `authorizedTTL`, `unauthorizedTTL`, `matchConditions`, their version',
    document: 'required',
    answer: 'five minutes, 30 s, none; the version is required beside conditions',
    holds: () => {
      const [link] = readAuthorizers({});
      expect(link?.webhook).to.include({ authorizedTtlMs: 300_000, unauthorizedTtlMs: 30_000 });
      expect(link?.webhook?.conditions).to.deep.equal([]);
      expect(() => readAuthorizers({ matchConditions: [{ expression: 'true' }] })).to.throw('matchConditionSubjectAccessReviewVersion');
    },
  },
  {
    about: '`AuthorizationConfiguration`: names of authorizers',
    document: 'DNS labels',
    answer: 'may have dots',
    holds: () => expect(readAuthorizers({}, 'a.example.com')[0]?.name).to.equal('a.example.com'),
  },
  {
    about: 'a service of authorization that fails under `failurePolicy: Deny`',
    document: 'no status is named',
    answer: '500: the request is refused, and the answer says that nobody decided',
    holds: async () => {
      const authorize = firstDecision([
        () => ({ decision: 'deny', reason: '', error: 'no answer' }),
        () => ({ decision: 'allow', reason: '' }),
      ]);
      const server = await startTestServer(undefined, { authorize });
      try {
        expect((await call(server.url, 'GET', configMaps)).status).to.equal(500);
      } finally {
        await server.close();
      }
    },
  },
];

/** Reads a file with one service that has these optional members. */
function readAuthorizers(members: object, name = 'w'): ReturnType<typeof readAuthorizationConfiguration> {
  const folder = temporaryDirectory('authorizers');
  const [kubeConfigFile, file] = [path.join(folder, 'kubeconfig'), path.join(folder, 'authorizers.json')];
  const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } };
  const context = { name: 'c', context: { cluster: 'c' } };
  fs.writeFileSync(kubeConfigFile, JSON.stringify({ clusters: [cluster], contexts: [context], 'current-context': 'c' }));
  const connectionInfo = { type: 'KubeConfigFile', kubeConfigFile };
  const webhook = { timeout: '3s', subjectAccessReviewVersion: 'v1', failurePolicy: 'Deny', connectionInfo, ...members };
  const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration' };
  fs.writeFileSync(file, JSON.stringify({ ...head, authorizers: [{ type: 'Webhook', name, webhook }] }));
  return readAuthorizationConfiguration(file);
}

/** The table of docs/compatibility.md. */
export const statementTable = (): string =>
  ['| statement about | the document | a kube-apiserver 1.36, and raftplane |', '|---|---|---|']
    .concat(statements.map(({ about, document, answer }) => `| ${about} | ${document} | ${answer} |`))
    .join('\n');
