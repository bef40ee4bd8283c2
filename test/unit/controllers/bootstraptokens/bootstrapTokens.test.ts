import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { configMaps, type Secret, secrets } from '../../../../api/types/core/v1.js';
import { bootstrapSigner } from '../../../../controllers/bootstraptokens/bootstrapSigner.js';
import { bootstrapTokenCleaner } from '../../../../controllers/bootstraptokens/tokenCleaner.js';
import { remainingMs, signedData } from '../../../../controllers/bootstraptokens/tokens.js';
import { controllerWorld, type ControllerWorld } from '../../../fixtures/controllerHarness.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const token = (id: string, more: Readonly<Record<string, string>> = {}): Secret => ({
  metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
  type: 'bootstrap.kubernetes.io/token',
  data: Object.fromEntries(
    Object.entries({ 'token-id': id, 'token-secret': `secret-of-${id}`, 'usage-bootstrap-signing': 'true', ...more }).map(
      ([key, value]) => [key, base64(value)],
    ),
  ),
});
const info = { metadata: { name: 'cluster-info', namespace: 'kube-public' }, data: { kubeconfig: 'where', other: 'kept' } };
const now = Date.UTC(2026, 0, 1);

/** Verifies a signature like a joining node. */
function verifies(signature: string | undefined, content: string, secret: string): boolean {
  const [header = '', empty, mac] = (signature ?? '').split('.');
  const signed = `${header}.${Buffer.from(content).toString('base64url')}`;
  return empty === '' && createHmac('sha256', secret).update(signed).digest('base64url') === mac;
}

describe('bootstrap tokens', () => {
  it('sign the cluster information', () => {
    const data = signedData(info, [token('abcdef'), token('ghijkl')], now);
    expect(Object.keys(data ?? {})).to.deep.equal(['kubeconfig', 'other', 'jws-kubeconfig-abcdef', 'jws-kubeconfig-ghijkl']);
    expect(verifies(data?.['jws-kubeconfig-abcdef'], 'where', 'secret-of-abcdef')).to.equal(true);
    expect(verifies(data?.['jws-kubeconfig-abcdef'], 'where', 'secret-of-ghijkl')).to.equal(false);
    expect(signedData({ ...info, data: data ?? {} }, [token('ghijkl'), token('abcdef')], now)).to.equal(null);
  });

  const silent: readonly (readonly [string, Secret])[] = [
    ['that are for something else', token('abcdef', { 'usage-bootstrap-signing': 'false' })],
    ['that have ended', token('abcdef', { expiration: '2025-12-31T00:00:00Z' })],
    ['with an end that is only a day', token('abcdef', { expiration: '2039-12-31' })],
    ['with an end that nobody can read', token('abcdef', { expiration: 'soon' })],
    ['with another name', { ...token('abcdef'), metadata: { name: 'bootstrap-token-xxxxxx' } }],
    ['of another type', { ...token('abcdef'), type: 'Opaque' }],
    ['on their way out', { ...token('abcdef'), metadata: { name: 'bootstrap-token-abcdef', deletionTimestamp: '2026-01-01T00:00:00Z' } }],
  ];
  for (const [what, secret] of silent)
    it(`${what} do not sign, and their signature goes`, () => {
      expect(signedData(info, [secret], now)).to.equal(null);
      const before = { ...info, data: { ...info.data, 'jws-kubeconfig-abcdef': 'x' } };
      expect(signedData(before, [secret], now)).to.deep.equal(info.data);
    });

  it('live until they end', () => {
    expect(remainingMs(token('abcdef'), now)).to.equal(null);
    expect(remainingMs(token('abcdef', { expiration: '2026-01-01T00:00:05Z' }), now)).to.equal(5_000);
  });
});

describe('the controllers of bootstrap tokens', () => {
  let world: ControllerWorld;
  beforeEach(() => {
    world = controllerWorld();
  });
  afterEach(() => world.stop());

  it('sign, and take the signature away when the token ends', async () => {
    world.api.seed(configMaps, info);
    await world.start(bootstrapSigner);
    expect(await world.writes()).to.deep.equal([]);
    world.api.seed(secrets, token('abcdef', { expiration: '2026-01-01T00:00:05Z' }));
    await world.settled();
    expect(world.api.peek(configMaps, 'kube-public/cluster-info')?.data).to.include.keys('jws-kubeconfig-abcdef');
    await world.advance(6_000);
    expect(world.api.peek(configMaps, 'kube-public/cluster-info')?.data).to.deep.equal(info.data);
  });

  it('delete tokens that have ended, and no others', async () => {
    world.api.seed(secrets, token('abcdef', { expiration: '2026-01-01T00:00:05Z' }), token('ghijkl'));
    await world.start(bootstrapTokenCleaner);
    await world.advance(4_999);
    expect(await world.writes()).to.deep.equal([]);
    await world.advance(2);
    expect((await world.writes()).map(({ verb, key }) => [verb, key])).to.deep.equal([['delete', 'kube-system/bootstrap-token-abcdef']]);
  });
});
