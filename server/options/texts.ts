import { release, versionInfo } from '../../program/version.js';

export const about =
  'The API server checks and stores the objects of a cluster (pods, services and all others), serves them over HTTPS, and is the way by which ' +
  'everything else in the cluster learns of them. It keeps them in a replicated store of its own: start three or five servers that know each other, and any ' +
  'minority of them may fail.\n\nCommands for operators: apiserver member, apiserver backup, apiserver restore, apiserver check and apiserver migrate; each has --help.';

export const examples = [
  {
    about: 'One server, for trying things out: certificates are made on the spot, clients come in with a certificate of ca.crt.',
    command: 'apiserver --raft-data-dir=/tmp/data --cert-dir=/tmp/certs --client-ca-file=ca.crt --authorization-mode=RBAC',
  },
  {
    about: 'The first of three.',
    command:
      'apiserver --raft-member-id=a --raft-initial-cluster=a=10.0.0.1:2380,b=10.0.0.2:2380,c=10.0.0.3:2380 ' +
      '--raft-ca-file=ca.crt --raft-cert-file=a.crt --raft-key-file=a.key --tls-cert-file=apiserver.crt --tls-private-key-file=apiserver.key ' +
      '--client-ca-file=ca.crt --authorization-mode=RBAC',
  },
];

/** Returns the output of `--version`: one line, or everything. */
export const versionText = (mode: string): string =>
  mode === 'raw' ? `${JSON.stringify(versionInfo(), null, 2)}\n` : `Kubernetes ${release}\n`;
