import { expect } from 'chai';
import { StatusError } from '../../../../api/status.js';
import type { Attributes } from '../../../../server/authorization/authorizer.js';
import { impersonate, type Wanted } from '../../../../server/authorization/impersonation.js';
import type { User } from '../../../../api/user.js';

/** A right as `verb group/resource/subresource namespace/name`, with all attributes for an authorizer. */
const lineOf = (asked: Attributes): string =>
  asked.isResource
    ? `${asked.verb} ${asked.group}/${asked.resource}${asked.subresource === '' ? '' : `/${asked.subresource}`} ${asked.namespace}/${asked.name}`
    : `${asked.verb} ${asked.path}`;

const agent = (node: string): User => ({
  name: 'system:serviceaccount:kube-system:agent',
  uid: '',
  groups: [],
  extra: { 'authentication.kubernetes.io/node-name': [node], 'authentication.kubernetes.io/pod-name': ['agent-x'] },
});
const deputy: User = { name: 'deputy', uid: '', groups: [], extra: {} };

const listPods = (user: User): Attributes => ({
  isResource: true,
  user,
  verb: 'list',
  group: '',
  version: 'v1',
  namespace: 'ns',
  resource: 'pods',
  subresource: '',
  name: '',
});

const wantedOf = ({ name, uid = '', groups = [], extra = {} }: Partial<User> & { name: string }): Wanted => ({
  name,
  uid,
  groups,
  extra: new Map(Object.entries(extra)),
});

/** The result with these rights: the new user and the right used, or the refusal; and queries and counts. */
async function attempt(
  wanted: Parameters<typeof wantedOf>[0],
  rights: readonly string[],
  { requestor = deputy, constrained = true, request = listPods(requestor) } = {},
): Promise<{ as: string; groups: readonly string[]; by: string; refusal: string; asked: string[]; users: User[]; counted: string[] }> {
  const [asked, users, counted]: [string[], User[], string[]] = [[], [], []];
  const authorize = (attributes: Attributes) => {
    asked.push(lineOf(attributes));
    users.push(attributes.user);
    return { decision: rights.includes(lineOf(attributes)) ? ('allow' as const) : ('noOpinion' as const), reason: '' };
  };
  const counts = {
    asked: (mode: string, decision: string) => counted.push(`asked ${mode} ${decision}`),
    attempted: (mode: string, decision: string) => counted.push(`attempted ${mode} ${decision}`),
  };
  try {
    const { user, constraint } = await impersonate(wantedOf(wanted), request, authorize, { constrained, counts });
    return { as: user.name, groups: user.groups, by: constraint, refusal: '', asked, users, counted };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { as: '', groups: [], by: '', refusal: error.message, asked, users, counted };
  }
}

const authn = 'authentication.k8s.io';

describe('acting as somebody else', () => {
  const on = (mode: string): string => `impersonate-on:${mode}:list /pods ns/`;
  const cases: readonly (readonly [
    what: string,
    wanted: Parameters<typeof wantedOf>[0],
    requestor: User,
    rights: readonly string[],
    by: string,
    groups: readonly string[],
  ])[] = [
    ['a user', { name: 'jane' }, deputy, [on('user-info'), `impersonate:user-info ${authn}/users /jane`], 'user-info', []],
    [
      'a user with uid, group and extra',
      { name: 'jane', uid: '7', groups: ['devs'], extra: { 'acme.io/x': ['v'] } },
      deputy,
      [
        on('user-info'),
        ...['users /jane', 'uids /7', 'groups /devs', 'userextras/acme.io/x /v'].map((r) => `impersonate:user-info ${authn}/${r}`),
      ],
      'user-info',
      ['devs'],
    ],
    [
      'a service account',
      { name: 'system:serviceaccount:ci:builder' },
      deputy,
      [on('serviceaccount'), `impersonate:serviceaccount ${authn}/serviceaccounts ci/builder`],
      'serviceaccount',
      ['system:serviceaccounts', 'system:serviceaccounts:ci'],
    ],
    [
      'any node',
      { name: 'system:node:n1' },
      deputy,
      [on('arbitrary-node'), `impersonate:arbitrary-node ${authn}/nodes /n1`],
      'arbitrary-node',
      ['system:nodes'],
    ],
    [
      'the own node',
      { name: 'system:node:n1' },
      agent('n1'),
      [on('associated-node'), `impersonate:associated-node ${authn}/nodes /*`],
      'associated-node',
      ['system:nodes'],
    ],
  ];
  for (const [what, wanted, requestor, rights, mode, groups] of cases) {
    it(`as ${what} needs the right to the request and to every part, and no other`, async () => {
      const { as, by, groups: given, counted } = await attempt(wanted, rights, { requestor });
      expect([as, by, given]).to.deep.equal([wanted.name, `impersonate:${mode}`, [...groups, 'system:authenticated']]);
      expect(counted).to.deep.equal([...rights.map(() => `asked ${mode} allowed`), `attempted ${mode} allowed`]);
      for (const missing of rights) {
        const without = await attempt(
          wanted,
          rights.filter((right) => right !== missing),
          { requestor },
        );
        expect(without.as, `without ${missing}`).to.equal('');
        expect(without.refusal).to.include(`cannot ${missing.split(' ')[0]}`);
      }
      expect((await attempt(wanted, rights, { requestor, constrained: false })).as, 'with the feature off').to.equal('');
    });
  }

  it('is still granted by the plain verb, which is asked for in no other words than before', async () => {
    const plain = ['impersonate /users /system:node:n1'];
    const { as, by, groups } = await attempt({ name: 'system:node:n1' }, plain);
    expect([as, by, groups]).to.deep.equal(['system:node:n1', '', ['system:authenticated']]);
    const { asked } = await attempt({ name: 'system:node:n1' }, plain, { constrained: false });
    expect(asked).to.deep.equal(plain);
  });

  it('as the own node is for service accounts of pods on that node, of whom no other node learns', async () => {
    const rights = [on('associated-node'), `impersonate:associated-node ${authn}/nodes /*`];
    expect((await attempt({ name: 'system:node:n2' }, rights, { requestor: agent('n1') })).as).to.equal('');
    expect((await attempt({ name: 'system:node:n1' }, rights, { requestor: { ...agent('n1'), name: 'eve' } })).as).to.equal('');
    expect((await attempt({ name: 'system:node:n1', groups: ['g'] }, rights, { requestor: agent('n1') })).as).to.equal('');
    const { users } = await attempt({ name: 'system:node:n1' }, rights, { requestor: agent('n1') });
    for (const { extra } of users) {
      expect(extra).to.deep.equal({
        'authentication.kubernetes.io/associated-node-keys': [
          'authentication.kubernetes.io/node-name',
          'authentication.kubernetes.io/pod-name',
        ],
      });
    }
  });

  it('makes strangers unauthenticated, also where they are said to be authenticated', async () => {
    const rights = ['impersonate /users /system:anonymous', 'impersonate /groups /system:authenticated'];
    const { groups } = await attempt({ name: 'system:anonymous', groups: ['system:authenticated'] }, rights);
    expect(groups).to.deep.equal(['system:authenticated', 'system:unauthenticated']);
  });

  it('never goes to system:masters, to nameless groups, or to keys without a domain', async () => {
    const rights = [on('user-info'), `impersonate:user-info ${authn}/users /j`, `impersonate:user-info ${authn}/groups /system:masters`];
    const refusal = async (more: Partial<User>): Promise<string> => (await attempt({ name: 'j', ...more }, rights)).refusal;
    expect(await refusal({ groups: ['system:masters'] })).to.include('impersonating the system:masters group is not allowed');
    expect(await refusal({ groups: [''] })).to.include('impersonating the empty string group is not allowed');
    expect(await refusal({ extra: { plain: ['v'] } })).to.include('must be a domain-prefixed path');
    expect(await refusal({ extra: { 'a.io/B': ['v'] } })).to.include('non-lowercase key');
    expect(await refusal({ extra: { 'a.io/b': [''] } })).to.include('empty string value');
  });

  it('asks for all groups at once where there are many', async () => {
    const rights = [on('user-info'), `impersonate:user-info ${authn}/users /j`, `impersonate:user-info ${authn}/groups /*`];
    expect((await attempt({ name: 'j', groups: ['a', 'b', 'c', 'd'] }, rights)).groups).to.include('d');
    expect((await attempt({ name: 'j', groups: ['a', 'b', 'c'] }, rights)).as).to.equal('');
  });

  /** The modes that are tried for `wanted` without rights. */
  const modesFor = async (wanted: Parameters<typeof wantedOf>[0], requestor = deputy): Promise<string> =>
    (await attempt(wanted, [], { requestor })).asked.map((line) => /^impersonate-on:([^:]+)/.exec(line)?.[1] ?? 'legacy').join(' ');
  const account = 'system:serviceaccount:ci:builder';
  const names: readonly (readonly [what: string, wanted: Parameters<typeof wantedOf>[0], modes: string])[] = [
    ['a user', { name: 'jane' }, 'user-info legacy'],
    ['a node', { name: 'system:node:n1' }, 'arbitrary-node legacy'],
    ['a service account', { name: account }, 'serviceaccount legacy'],
    ['a node with a uid', { name: 'system:node:n1', uid: '7' }, 'legacy'],
    ['a node with a group', { name: 'system:node:n1', groups: ['g'] }, 'legacy'],
    ['a node with more', { name: 'system:node:n1', extra: { 'a.io/b': ['c'] } }, 'legacy'],
    ['a service account with a uid', { name: account, uid: '7' }, 'legacy'],
    ['a service account with a group', { name: account, groups: ['g'] }, 'legacy'],
    ['a service account with more', { name: account, extra: { 'a.io/b': ['c'] } }, 'legacy'],
    ['a name that no node can have', { name: 'system:node:A_b' }, 'user-info legacy'],
    ['no name of a node', { name: 'system:node:' }, 'user-info legacy'],
    ['a namespace alone', { name: 'system:serviceaccount:ci' }, 'user-info legacy'],
    ['a service account without a namespace', { name: 'system:serviceaccount::b' }, 'user-info legacy'],
    ['a service account without a name', { name: 'system:serviceaccount:ci:' }, 'user-info legacy'],
    ['a service account with a part too many', { name: `${account}:x` }, 'user-info legacy'],
  ];
  for (const [what, wanted, modes] of names)
    it(`as ${what} is asked for as ${modes}`, async () => expect(await modesFor(wanted)).to.equal(modes));

  it('as the own node needs one node in the token of a service account', async () => {
    const bound = (...nodes: string[]): User => ({ ...agent('n1'), extra: { 'authentication.kubernetes.io/node-name': nodes } });
    const own = 'associated-node arbitrary-node legacy';
    expect(await modesFor({ name: 'system:node:n1' }, bound('n1'))).to.equal(own);
    expect(await modesFor({ name: 'system:node:n1' }, bound('n1', 'n2'))).to.equal('arbitrary-node legacy');
    expect(await modesFor({ name: 'system:node:n1' }, { ...agent('n1'), extra: {} })).to.equal('arbitrary-node legacy');
  });

  it('hides nothing of who asks, except as the own node, and sorts the keys then', async () => {
    const { users } = await attempt({ name: 'system:node:n2' }, [], { requestor: agent('n1') });
    for (const { extra } of users) expect(extra).to.deep.equal(agent('n1').extra);
    const extra = { 'b.io/x': ['1'], 'authentication.kubernetes.io/node-name': ['n1'] };
    const [first] = (await attempt({ name: 'system:node:n1' }, [], { requestor: { ...agent('n1'), extra } })).users;
    expect(first?.extra).to.deep.equal({
      'authentication.kubernetes.io/associated-node-keys': ['authentication.kubernetes.io/node-name', 'b.io/x'],
    });
  });

  it('by the plain verb needs the right to every part', async () => {
    const wanted = { name: 'jane', uid: '7', groups: ['devs'], extra: { 'Plain key': ['v', 'w'] } };
    const rights = [
      'impersonate /users /jane',
      'impersonate /groups /devs',
      ...['v', 'w'].map((value) => `impersonate ${authn}/userextras/Plain key /${value}`),
      `impersonate ${authn}/uids /7`,
    ];
    const { as, asked } = await attempt(wanted, rights, { constrained: false });
    expect([as, asked]).to.deep.equal(['jane', rights]);
    for (const missing of rights)
      expect(
        (
          await attempt(
            wanted,
            rights.filter((right) => right !== missing),
            { constrained: false },
          )
        ).as,
        missing,
      ).to.equal('');
  });

  it('tells the first refusal, and counts it for the narrowest mode', async () => {
    const { refusal, counted } = await attempt({ name: 'system:node:n1' }, []);
    expect(refusal).to.include('cannot impersonate-on:arbitrary-node:list');
    expect(counted).to.deep.equal(['asked arbitrary-node denied', 'asked legacy denied', 'attempted arbitrary-node denied']);
  });

  it('needs each of many groups and values unless all are granted at once', async () => {
    const base = [on('user-info'), `impersonate:user-info ${authn}/users /j`];
    const letters = ['a', 'b', 'c', 'd'];
    const groups = letters.map((name) => `impersonate:user-info ${authn}/groups /${name}`);
    expect((await attempt({ name: 'j', groups: letters }, [...base, ...groups])).as).to.equal('j');
    expect((await attempt({ name: 'j', groups: letters }, [...base, ...groups.slice(1)])).as).to.equal('');
    const extra = { 'a.io/x': ['a', 'b'], 'a.io/y': ['c', 'd'] };
    const whole = [...base, `impersonate:user-info ${authn}/userextras/* /*`];
    expect((await attempt({ name: 'j', extra }, whole)).as).to.equal('j');
    expect((await attempt({ name: 'j', extra: { ...extra, 'a.io/y': ['c'] } }, whole)).as).to.equal('');
    expect((await attempt({ name: 'j', extra }, base)).as).to.equal('');
  });

  const keys: readonly (readonly [key: string, problem: string])[] = [
    ['', 'the empty string key in extra'],
    ['/x', 'Invalid value: "/x": must be a domain-prefixed path'],
    ['a.io/', 'Invalid value: "a.io/": must be a domain-prefixed path'],
    ['a_b/x', 'Invalid value: "a_b": '],
    ['a.io/x y', 'Invalid value: "x y": Invalid path'],
    ['a.io/x/Y', 'a non-lowercase key in extra is not allowed: "a.io/x/Y"'],
  ];
  for (const [key, problem] of keys)
    it(`never goes to the key ${JSON.stringify(key)}`, async () => {
      const rights = [on('user-info'), `impersonate:user-info ${authn}/users /j`, `impersonate:user-info ${authn}/userextras/${key} /v`];
      expect((await attempt({ name: 'j', extra: { [key]: ['v'] } }, rights)).refusal).to.include(problem);
    });
  it('goes to short domains and to paths of several parts', async () => {
    const rights = [
      on('user-info'),
      `impersonate:user-info ${authn}/users /j`,
      ...['a/x', 'a.io/x/y'].map((key) => `impersonate:user-info ${authn}/userextras/${key} /v`),
    ];
    expect((await attempt({ name: 'j', extra: { 'a/x': ['v'], 'a.io/x/y': ['v'] } }, rights)).as).to.equal('j');
  });

  it('by the plain verb gives service accounts their groups, unless others are wanted, and nodes none', async () => {
    const groupsOf = async (name: string, ...groups: string[]): Promise<readonly string[]> =>
      (
        await attempt(
          { name, groups },
          [
            `impersonate /serviceaccounts ci/builder`,
            `impersonate /users /${name}`,
            ...groups.map((group) => `impersonate /groups /${group}`),
          ],
          { constrained: false },
        )
      ).groups;
    expect(await groupsOf(account)).to.deep.equal(['system:serviceaccounts', 'system:serviceaccounts:ci', 'system:authenticated']);
    expect(await groupsOf(account, 'g')).to.deep.equal(['g', 'system:authenticated']);
    expect(await groupsOf('system:node:n1')).to.deep.equal(['system:authenticated']);
    expect(await groupsOf('j', 'system:unauthenticated')).to.deep.equal(['system:unauthenticated']);
  });

  it('holds for paths that are no resources', async () => {
    const request: Attributes = { isResource: false, user: deputy, verb: 'get', path: '/metrics' };
    const rights = ['impersonate-on:user-info:get /metrics', `impersonate:user-info ${authn}/users /j`];
    expect((await attempt({ name: 'j' }, rights, { request })).by).to.equal('impersonate:user-info');
  });
});
