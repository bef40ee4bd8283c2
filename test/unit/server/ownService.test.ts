import { join } from 'node:path';
import { expect } from 'chai';
import { readApiServerOptions } from '../../../server/options/read.js';
import { startServer } from '../../../server/server.js';
import { call1, recordingLogger, type Answer } from '../../fixtures/frontDoor.js';
import { createIdentities } from '../../fixtures/identities.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

const hook = {
  name: 'own.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { service: { namespace: 'default', name: 'kubernetes', path: '/nowhere' } },
  rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
};
/** The reference's answer; unprivileged clients get 403. */
const expected =
  'Internal error occurred: failed calling webhook "own.example.com": failed to call webhook: the server could not find the requested resource';
const attemptsMax = 200;

describe('webhooks of the service default/kubernetes', () => {
  for (const threads of [1, 2])
    it(`reach this server as a privileged client, with ${threads} serving threads`, async () => {
      const identities = await createIdentities();
      const serving = await identities.issue({ name: 'server', usage: 'serverAuth' });
      const admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
      const read = readApiServerOptions([
        '--bind-address=127.0.0.1',
        '--secure-port=0',
        '--authorization-mode=RBAC',
        `--serving-threads=${threads}`,
        `--raft-data-dir=${join(temporaryDirectory('own'), 'data')}`,
        `--client-ca-file=${identities.caFile}`,
        `--tls-cert-file=${serving.certFile}`,
        `--tls-private-key-file=${serving.keyFile}`,
      ]);
      if (!read.ok) throw new Error(read.errors.join('\n'));
      const server = await startServer(read.options, recordingLogger([]));
      const post = (path: string, body: object): Promise<Answer> =>
        call1(Number(new URL(server.url).port), {
          identity: admin,
          method: 'POST',
          path,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      try {
        await server.ready;
        await post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
          metadata: { name: 'own' },
          webhooks: [hook],
        });
        const path = '/api/v1/namespaces/default/configmaps?dryRun=All';
        let answer = await post(path, { metadata: { name: 'a' } });
        for (let attempt = 0; answer.status === 201 && attempt < attemptsMax; attempt++)
          answer = await post(path, { metadata: { name: 'a' } });
        expect(answer.body).to.have.property('message', expected);
      } finally {
        await server.stop();
      }
    });
});
