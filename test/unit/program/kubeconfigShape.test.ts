import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { loadKubeconfig, loadUsers } from '../../../program/kubeconfig.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

describe('program/kubeconfigShape', () => {
  const file = (text: string): string => {
    const name = path.join(temporaryDirectory('kubeconfig'), 'config');
    fs.writeFileSync(name, text);
    return name;
  };
  const usual = `
current-context: one
clusters: [{ name: here, cluster: { server: 'https://127.0.0.1:1', tls-server-name: null } }]
users: [{ name: me, user: { token: secret } }]
contexts: [{ name: one, context: { cluster: here, user: me } }]
`;

  it('may leave out kind and version, and hold what only other clients know, as for client-go', () => {
    for (const text of [
      usual,
      `kind: Config\napiVersion: v1\nfuture: { a: 1 }\nextensions: []${usual.replace('secret', 'secret, later: 1')}`,
    ]) {
      const { server, token } = loadKubeconfig(file(text));
      expect([server, token?.()]).to.deep.equal(['https://127.0.0.1:1', 'secret']);
    }
    expect(loadUsers(file(''))).to.deep.equal(new Map());
  });

  it('names each member of another type, with its line', () => {
    const wrong = file(usual.replace('secret', '1234').replace("'https://127.0.0.1:1'", '[a]'));
    const says =
      (text: string): ((message: string) => boolean) =>
      (message) =>
        message.includes(text);
    expect(() => loadKubeconfig(wrong))
      .to.throw(`${wrong} is no kubeconfig: `)
      .and.to.have.property('message')
      .that.satisfies(says('line 3: clusters[0].cluster.server must be a text'))
      .and.satisfies(says('line 4: users[0].user.token must be a text'));
    expect(() => loadKubeconfig(file('clusters: ['))).to.throw('cannot be read as a kubeconfig');
  });
});
