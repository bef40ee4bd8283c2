import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { bootstrapTokens } from '../../../../server/authentication/tokens/bootstrapTokens.js';
import { parseCsv } from '../../../../server/authentication/tokens/csv.js';
import { readStaticTokens } from '../../../../server/authentication/tokens/staticFile.js';
import {
  bearerAuthenticator,
  bearerToken,
  firstTokenOf,
  forThisApi,
  withNewsForThisApi,
  type TokenAuthentication,
} from '../../../../server/authentication/tokens/token.js';
import { webSocketAuthenticator } from '../../../../server/authentication/tokens/webSocket.js';
import type { Request } from '../../../../program/port/message.js';
import { StatusError } from '../../../../api/status.js';
import { createMemoryStorage, type MemoryStorage } from '../../../../server/storage/memory.js';
import { firstOf, type Authentication, type Authenticator } from '../../../../program/authentication/authenticator.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const directory = temporaryDirectory('static-tokens');
const fileOf = (text: string): string => {
  const file = join(directory, 'tokens.csv');
  writeFileSync(file, text);
  return file;
};

describe('authentication/tokens', () => {
  it('finds the token in the header', () => {
    for (const [header, token] of [
      ['Bearer abc', 'abc'],
      ['bearer abc', 'abc'],
      ['  BEARER abc  ', 'abc'],
      ['Bearer abc def', 'abc'],
      ['Bearer', null],
      ['Bearer  abc', null],
      ['Basic abc', null],
      ['abc', null],
      ['', null],
      [undefined, null],
    ] as const) {
      expect(bearerToken(header), String(header)).to.equal(token);
    }
  });

  it('reads rows with quotes, spaces and other line ends', () => {
    expect(parseCsv('a,b,"c,d"\r\n\n"x ""y""",,z\n')).to.deep.equal([
      ['a', 'b', 'c,d'],
      ['x "y"', '', 'z'],
    ]);
    expect(parseCsv('a,b')).to.deep.equal([['a', 'b']]);
    expect(parseCsv('a,')).to.deep.equal([['a', '']]);
    expect(parseCsv('')).to.deep.equal([]);
    expect(parseCsv('a\nb,c')).to.deep.equal([['a'], ['b', 'c']]);
    expect(() => parseCsv('a,"b"c\n')).to.throw(/quote is out of place near row 1$/);
  });

  it('knows users by a file of tokens, with groups by their exact names', () => {
    const tokens = readStaticTokens(fileOf('t0ken,ann,42,"devs, ops,,all"\nother,bob,\n'));
    expect(tokens('t0ken')).to.deep.equal({ name: 'ann', uid: '42', groups: ['devs', ' ops', 'all'], extra: {} });
    expect(tokens('other')).to.deep.include({ name: 'bob', groups: [] });
    for (const wrong of ['', 't0ke', 't0ken ', 'T0KEN', 'ann']) expect(tokens(wrong)).to.equal(null);
  });

  it('refuses broken files with option, file and row, and never shows a token', () => {
    for (const [text, problem] of [
      ['s3cret,ann\n', /row 1 of .* has 2 columns/],
      [',ann\n', /row 1 of .* has 2 columns/],
      ['s3cret,,1\n', /row 1 of .* has an empty user/],
      ['s3cret,"ann"x,1\n', /cannot read/],
    ] as const) {
      expect(() => readStaticTokens(fileOf(text)))
        .to.throw(problem)
        .and.satisfy((error: Error) => !error.message.includes('s3cret') && error.message.startsWith('--token-auth-file'));
    }
  });

  // NewCSV of token/tokenfile/tokenfile.go.
  it('leaves out rows without a token, and takes the last row of a token, with a warning', () => {
    const warned: unknown[] = [];
    const tokens = readStaticTokens(fileOf('t0ken,ann,1\n,bob,2\nt0ken,carl,3\n'), (what, row) => warned.push([what, row]));
    expect([tokens('t0ken')?.name, tokens('')]).to.deep.equal(['carl', null]);
    expect(warned).to.deep.equal([
      ['empty', 2],
      ['duplicate', 3],
    ]);
  });

  // request/bearertoken/bearertoken.go.
  it('warns of a second space before a token, which it does not read', async () => {
    const warning = 'the provided Authorization header contains extra space before the bearer token, and is ignored';
    const bearer = bearerAuthenticator(() => ({ outcome: 'absent' }), ['api']);
    const asked = (authorization: string, open: boolean): unknown =>
      firstOf([bearer], () => open)({ headers: { authorization } } as Request);
    expect(await asked(' Bearer  t', false)).to.deep.equal({ outcome: 'absent', warning });
    expect(await asked('Bearer  t', true)).to.include({ outcome: 'user', warning });
    for (const other of ['Bearer ', 'Basic  t']) expect(await asked(other, true)).to.not.have.property('warning');
    const invalid = (): Authentication => ({ outcome: 'invalid', reason: 'x' });
    const both = (ways: Authenticator[]): unknown => firstOf(ways, () => true)({ headers: { authorization: 'Bearer  t' } } as Request);
    expect(await both([bearer, invalid])).to.include({ outcome: 'invalid' });
    expect(await both([bearer, () => ({ outcome: 'absent' })])).to.include({ outcome: 'user', warning });
    expect(await both([() => ({ outcome: 'absent' }), bearer])).to.include({ outcome: 'user', warning });
  });

  it('serves tokens without audiences only to those who ask for this API', async () => {
    const authenticate = forThisApi(['api'], () => ({ name: 'ann', uid: '', groups: [], extra: {} }));
    expect(await authenticate('x', ['api', 'other'])).to.deep.include({ outcome: 'user', audiences: ['api'] });
    expect(await authenticate('x', ['other'])).to.deep.equal({ outcome: 'absent' });
  });

  it('leaves tokens of others to others, and says what is wrong with its own', async () => {
    const answer = (found: string | null, own: readonly string[] = ['api']) => forThisApi(own, () => found)('x', ['api']);
    expect(await answer(null)).to.deep.equal({ outcome: 'absent' });
    expect(await answer('old')).to.deep.equal({ outcome: 'invalid', reason: 'old' });
    expect(await answer('old', [])).to.deep.equal({ outcome: 'invalid', reason: 'old' });
    const warned = withNewsForThisApi([], () => ({ user: { name: 'ann', uid: '', groups: [], extra: {} } }));
    expect(await warned('x', ['api'])).to.deep.include({ outcome: 'user', audiences: [] });
  });

  it('lets in by a token of the header alone, and keeps audiences to itself', async () => {
    const user = { name: 'ann', uid: '', groups: [], extra: {} };
    const answers: Record<string, TokenAuthentication> = {
      good: { outcome: 'user', user, audiences: ['api'] },
      old: { outcome: 'invalid', reason: 'old' },
    };
    const authenticate = bearerAuthenticator((token) => answers[token] ?? { outcome: 'absent' }, ['api']);
    const asked = (authorization?: string): unknown => authenticate({ headers: { authorization } } as Request);
    expect(await asked()).to.deep.equal({ outcome: 'absent' });
    expect(await asked('Bearer good')).to.deep.equal({ outcome: 'user', user });
    expect(await asked('Bearer old')).to.deep.equal({ outcome: 'invalid', reason: 'old' });
    expect(await asked('Bearer other')).to.deep.equal({ outcome: 'invalid', reason: 'invalid bearer token' });
  });

  // request/websocket/protocol.go.
  it('reads tokens among the protocols of WebSockets', async () => {
    const user = { name: 'tom', uid: '', groups: [], extra: {} };
    const known = (token: string): TokenAuthentication =>
      token === 't0ken' ? { outcome: 'user', user, audiences: [] } : { outcome: 'absent' };
    const asked = async (protocols: string | undefined, more: Record<string, string> = {}): Promise<unknown> => {
      const headers = { connection: 'keep-alive, Upgrade', upgrade: 'WebSocket', 'sec-websocket-protocol': protocols, ...more };
      const { outcome } = await webSocketAuthenticator(known, [])({ headers } as Request);
      return [outcome, headers['sec-websocket-protocol']];
    };
    const carrier = (text: string | Buffer): string => `base64url.bearer.authorization.k8s.io.${Buffer.from(text).toString('base64url')}`;
    const good = `v4.channel.k8s.io, ${carrier('t0ken')},v5`;
    const outcomes: readonly (readonly [string, string])[] = [
      [carrier('t0ken'), 'invalid'],
      [`${carrier('t0kem')}, other`, 'invalid'],
      [`${carrier('t0ken')}, ${carrier('t0ken')}, other`, 'invalid'],
      [`${carrier('t0ken')}=, other`, 'invalid'],
      [`${carrier('t0ken')}., other`, 'invalid'],
      [`${carrier('')}A, other`, 'invalid'],
      [`${carrier(Buffer.from([0xff]))}, other`, 'invalid'],
      [`${carrier('')}, other`, 'absent'],
      [carrier(''), 'absent'],
      ['other', 'absent'],
      [`x${carrier('t0ken')}, other`, 'absent'],
    ];
    for (const [protocols, outcome] of outcomes) expect(await asked(protocols), protocols).to.deep.equal([outcome, protocols]);
    expect(await asked(good)).to.deep.equal(['user', 'v4.channel.k8s.io, v5']);
    expect(await asked(undefined)).to.deep.equal(['absent', undefined]);
    const headers = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-protocol': `${carrier(Buffer.from([0xff]))}, other` };
    const never = (): never => {
      throw new Error('asked');
    };
    expect(await webSocketAuthenticator(never, [])({ headers } as unknown as Request)).to.include({ outcome: 'invalid' });
    const others: Record<string, string>[] = [{ upgrade: 'SPDY/3.1' }, { connection: 'keep-alive' }, { connection: 'x-upgrade' }];
    for (const more of others) expect(await asked(good, more), JSON.stringify(more)).to.deep.equal(['absent', good]);
  });

  it('keeps the notes of refused tokens', async () => {
    const note = { key: 'k', text: 't' };
    const refused = withNewsForThisApi(['api'], () => ({ reason: 'old', notes: [note] }));
    const absent = (): TokenAuthentication => ({ outcome: 'absent' });
    const all = firstTokenOf([refused, absent]);
    expect(await all('x', ['api'])).to.deep.equal({ outcome: 'invalid', reason: 'old', notes: [note] });
    expect(await bearerAuthenticator(all, ['api'])({ headers: { authorization: 'Bearer x' } } as Request)).to.have.deep.property('notes', [
      note,
    ]);
  });

  it('reads tokens of up to 16 KiB', async () => {
    const asked: number[] = [];
    const first = firstTokenOf([
      (token) => {
        asked.push(token.length);
        return { outcome: 'absent' };
      },
    ]);
    for (const length of [16_384, 16_385]) await first('x'.repeat(length), []);
    expect(asked).to.deep.equal([16_384]);
  });

  it('asks one way after the other, and tells all that was wrong', async () => {
    const no = (reason: string) => () => ({ outcome: 'invalid', reason }) as const;
    const absent = () => ({ outcome: 'absent' }) as const;
    const user = { name: 'ann', uid: '', groups: [], extra: {} };
    expect(await firstTokenOf([absent])('t', [])).to.deep.equal({ outcome: 'absent' });
    expect(await firstTokenOf([no('a'), absent, no('b'), no('a')])('t', [])).to.deep.equal({ outcome: 'invalid', reason: 'a, b' });
    const found = await firstTokenOf([no('a'), () => ({ outcome: 'user', user, audiences: [] })])('t', []);
    expect(found).to.deep.include({ outcome: 'user', user: { ...user, groups: ['system:authenticated'] } });
    expect(
      await firstTokenOf([
        () => {
          throw new Error('asked');
        },
      ])('x'.repeat(20_000), []),
    ).to.deep.include({ outcome: 'invalid' });
  });

  describe('of joining nodes', () => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const now = Date.parse('2030-01-01T00:00:00Z');
    const reasons: string[] = [];
    const refuse = (name: string, reason: string): number => reasons.push(`${name}: ${reason}`);
    const answer = async (token: string, data: Record<string, string>, more: object = {}): Promise<unknown> => {
      const storage = createMemoryStorage();
      const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)]));
      await storage.create(
        { resource: { group: '', resource: 'secrets' }, namespace: 'kube-system', name: 'bootstrap-token-abcdef' },
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
          type: 'bootstrap.kubernetes.io/token',
          data: encoded,
          ...more,
        },
        { timeoutMs: 1000 },
      );
      reasons.length = 0;
      return bootstrapTokens(storage, refuse, () => now)(token);
    };
    const token = 'abcdef.0123456789abcdef';
    const data = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' };

    it('are known by their secret', async () => {
      expect(
        await answer(token, { ...data, 'auth-extra-groups': 'system:bootstrappers:workers', expiration: '2030-01-01T00:00:01Z' }),
      ).to.deep.equal({
        name: 'system:bootstrap:abcdef',
        uid: '',
        groups: ['system:bootstrappers', 'system:bootstrappers:workers'],
        extra: {},
      });
    });
    // GetGroups of staging/src/k8s.io/cluster-bootstrap/util/secrets/secrets.go sorts them.
    it('are in each of their groups once, and last without an end if none is given', async () => {
      const groups = 'system:bootstrappers:b,system:bootstrappers:a,system:bootstrappers:b';
      expect(await answer(token, { ...data, 'auth-extra-groups': groups, expiration: '' })).to.have.deep.property('groups', [
        'system:bootstrappers',
        'system:bootstrappers:a',
        'system:bootstrappers:b',
      ]);
    });
    it('are in the group of all where they name none, and last to the nanosecond', async () => {
      expect(await answer(token, data)).to.have.deep.property('groups', ['system:bootstrappers']);
      expect(await answer(token, { ...data, expiration: '2030-01-01T00:00:00.5Z' })).to.have.property('name', 'system:bootstrap:abcdef');
      expect(await answer(token, { ...data, expiration: '2029-12-31T23:59:59.5Z' })).to.equal(null);
    });
    it('wait for storage that cannot answer', async () => {
      const storage = { get: () => Promise.resolve({ outcome: 'unavailable', reason: 'no leader' } as const) } as unknown as MemoryStorage;
      const failure = await bootstrapTokens(storage)(token).catch((error: unknown) => error);
      expect(failure).to.be.an.instanceof(StatusError).and.include({ code: 503 });
    });
    // Only the log has the reasons of token/bootstrap/bootstrap.go; null for a token that is none of a secret.
    const refused: [string, string, Record<string, string>, object, string | null][] = [
      ['one that expires now', token, { ...data, expiration: '2030-01-01T00:00:00Z' }, {}, 'it has expired'],
      [
        'one that is being deleted',
        token,
        data,
        {
          metadata: {
            name: 'bootstrap-token-abcdef',
            namespace: 'kube-system',
            deletionTimestamp: '2029-01-01T00:00:00Z',
          },
        },
        'it is being deleted',
      ],
      [
        'groups of administrators beside others',
        token,
        { ...data, 'auth-extra-groups': 'system:bootstrappers:a,system:masters' },
        {},
        'its auth-extra-groups name a group that it may not give',
      ],
      ['no token of the form', 'abcdef.0123456789abcdeX', data, {}, null],
      ['a wrong secret', 'abcdef.fedcba9876543210', data, {}, 'it has another token-secret'],
      ['an unknown id', 'aaaaaa.0123456789abcdef', data, {}, 'it does not exist'],
      ["an id that is not the secret's", token, { ...data, 'token-id': 'other0' }, {}, 'it has another token-id'],
      ['a path in place of an id', '../../x.0123456789abcdef', data, {}, null],
      ['a secret of another type', token, data, { type: 'Opaque' }, 'its type is not bootstrap.kubernetes.io/token'],
      ['an expired one', token, { ...data, expiration: '2029-12-31T23:59:59Z' }, {}, 'it has expired'],
      ['an expiration that is only a day', token, { ...data, expiration: '2039-12-31' }, {}, 'it has expired'],
      ['an expiration that cannot be read', token, { ...data, expiration: 'soon' }, {}, 'it has expired'],
      [
        'one for other uses',
        token,
        { ...data, 'usage-bootstrap-authentication': 'false' },
        {},
        'its usage-bootstrap-authentication is not true',
      ],
      [
        'one without a use',
        token,
        { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef' },
        {},
        'its usage-bootstrap-authentication is not true',
      ],
      [
        'groups of administrators',
        token,
        { ...data, 'auth-extra-groups': 'system:masters' },
        {},
        'its auth-extra-groups name a group that it may not give',
      ],
    ];
    for (const [what, presented, content, more, expected] of refused) {
      it(`are refused: ${what}`, async () => {
        expect(await answer(presented, content, more)).to.equal(null);
        expect(reasons).to.deep.equal(expected === null ? [] : [`bootstrap-token-${presented.slice(0, 6)}: ${expected}`]);
      });
    }
  });
});
