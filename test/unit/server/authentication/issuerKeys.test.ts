import { expect } from 'chai';
import { fixed } from '../../../../program/files/liveFile.js';
import { createIssuers } from '../../../../server/authentication/jwt/issuers.js';
import { createFetchMetrics } from '../../../../server/authentication/jwt/metrics.js';
import { oidcSettings } from '../../../../server/assembly/oidcSettings.js';
import { createMetrics } from '../../../../server/http/metrics.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { shownSeries } from '../../../fixtures/shownSeries.js';
import { startTokenIssuer, type TokenIssuer } from '../../../fixtures/tokenIssuer.js';
import { recordingLogger } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identities } from '../../../fixtures/identities.js';

describe('keys of an issuer of tokens', () => {
  let identities: Identities;
  let issuer: TokenIssuer;
  before(async () => {
    identities = await createIdentities();
    issuer = await startTokenIssuer(await identities.issue({ name: '127.0.0.1', usage: 'serverAuth', ip: ['127.0.0.1'] }));
  });
  after(() => {
    issuer.close();
  });

  it('are asked for when a first token comes, again with each one until they are there, and no sooner', async () => {
    const metrics = createMetrics({}, false);
    const read = readApiServerOptions([`--oidc-issuer-url=${issuer.url}`, '--oidc-client-id=me', `--oidc-ca-file=${identities.caFile}`]);
    if (!read.ok) throw new Error(read.errors.join());
    const settings = oidcSettings(read.options)!;
    issuer.document = { issuer: issuer.url, jwks_uri: `${issuer.url}/nothing` };
    const asked = issuer.asked.length;
    const counts = createFetchMetrics(metrics.registry, 'server');
    const issuers = createIssuers(fixed([settings]), recordingLogger([]), { counts });
    await issuers.ready();
    expect(issuer.asked.slice(asked), 'no keys yet').to.deep.equal(['/.well-known/openid-configuration']);
    const token = await issuer.sign();
    await issuers.authenticate(token);
    issuer.document = null;
    expect(await issuers.authenticate(token)).to.have.property('name');
    await issuers.authenticate(token);
    expect(issuer.asked.slice(asked).filter((path) => path === '/keys')).to.have.length(1);
    const prefix = 'apiserver_authentication_jwt_authenticator_jwks_fetch_last';
    const results = (): Promise<string[]> =>
      shownSeries(metrics.registry, `${prefix}_timestamp_seconds`).then((shown) =>
        Object.keys(shown).map((labels) => /result="(\w+)"/.exec(labels)?.[1] ?? ''),
      );
    expect(await results()).to.have.members(['failure', 'success']);
    expect(Object.values(await shownSeries(metrics.registry, `${prefix}_key_set_info`))).to.deep.equal([1]);
    issuers.stop();
    expect(await results(), 'of issuers that are gone').to.deep.equal([]);
  });
});
