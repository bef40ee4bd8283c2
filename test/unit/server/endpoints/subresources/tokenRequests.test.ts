import { expect } from 'chai';
import type { JsonObject } from '../../../../../api/object.js';
import { call, type Answer } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

/** A token request may identify the account by uid, because another may have taken its name. */
describe('requests for tokens', () => {
  const servers: TestServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  const ask = async (refusesOtherUids: boolean, uid: string): Promise<Answer & { readonly own: unknown }> => {
    const server = await startTestServer(undefined, {
      endpoints: {
        tokens: {
          issuer: { issuer: 'here', sign: () => Promise.resolve('signed') },
          authenticate: () => ({ outcome: 'absent' }),
          audiences: ['here'],
          lifetimeSecondsMax: 0,
          extendedSecondsMax: null,
          extendsLifetime: false,
          refusesOtherUids,
        },
      },
    });
    servers.push(server);
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const made = await call(server.url, 'POST', accounts, { body: { metadata: { name: 'one' } } });
    const answer = await call(server.url, 'POST', `${accounts}/one/token`, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { uid }, spec: {} },
    });
    return { ...answer, own: (made.body['metadata'] as JsonObject)['uid'] };
  };

  it('for the uid of another account are refused', async () => {
    const { status, body } = await ask(true, 'other');
    expect([status, body['reason']]).to.deep.equal([409, 'Conflict']);
    expect(body['details']).to.deep.include({ name: 'one', group: 'authentication.k8s.io', kind: 'TokenRequest' });
  });

  it('without a uid are answered with that of the account', async () => {
    const { status, body, own, headers } = await ask(true, '');
    expect([status, (body['metadata'] as JsonObject)['uid'], headers['warning']]).to.deep.equal([201, own, undefined]);
  });

  it('for the uid of another account are answered with a warning while TokenRequestServiceAccountUIDValidation is off', async () => {
    const { status, body, headers } = await ask(false, 'other');
    expect([status, (body['metadata'] as JsonObject)['uid']]).to.deep.equal([201, 'other']);
    expect(headers['warning']).to.contain('the UID in the token request (other) does not match');
  });
});
