import { expect } from 'chai';
import { StatusError } from '../../../../api/status.js';
import type { Attributes } from '../../../../server/authorization/authorizer.js';
import { impersonate, type Wanted } from '../../../../server/authorization/impersonation.js';
import type { User } from '../../../../api/user.js';

/** A right as `verb group/resource/subresource namespace/name`: everything that an authorizer is asked, in one line. */
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

/** What comes of it with these rights: who one becomes and by which right, or the refusal; and what was asked, and counted. */
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

  it('as the own node is for service accounts of pods on that node, of whom no other node is told', async () => {
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

  it('holds for paths that are no resources', async () => {
    const request: Attributes = { isResource: false, user: deputy, verb: 'get', path: '/metrics' };
    const rights = ['impersonate-on:user-info:get /metrics', `impersonate:user-info ${authn}/users /j`];
    expect((await attempt({ name: 'j' }, rights, { request })).by).to.equal('impersonate:user-info');
  });
});
