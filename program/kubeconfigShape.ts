import type { Shape } from './files/schema.js';

/** Like client-go, it accepts unknown members in a kubeconfig, and refuses values of other types. */
const open = true;
const extensions = { list: 'object' } as const;

const cluster = {
  open,
  fields: {
    server: 'text',
    'certificate-authority': 'text',
    'certificate-authority-data': 'text',
    'insecure-skip-tls-verify': 'bool',
    'tls-server-name': 'text',
    'proxy-url': 'text',
    'disable-compression': 'bool',
    extensions,
  },
} as const;

const exec = {
  open,
  fields: {
    apiVersion: 'text',
    command: 'text',
    args: { list: 'text' },
    env: { list: { open, fields: { name: 'text', value: 'text' } } },
    installHint: 'text',
    provideClusterInfo: 'bool',
    interactiveMode: { oneOf: ['Never', 'IfAvailable', 'Always', ''] },
  },
} as const;

const user = {
  open,
  fields: {
    'client-certificate': 'text',
    'client-certificate-data': 'text',
    'client-key': 'text',
    'client-key-data': 'text',
    token: 'text',
    tokenFile: 'text',
    as: 'text',
    'as-uid': 'text',
    'as-groups': { list: 'text' },
    'as-user-extra': 'object',
    username: 'text',
    password: 'text',
    'auth-provider': 'object',
    exec,
    extensions,
  },
} as const;

const context = { open, fields: { cluster: 'text', user: 'text', namespace: 'text', extensions } } as const;

/** A kubeconfig. It may leave out its kind and version. */
export const kubeconfigShape = {
  open,
  fields: {
    apiVersion: { oneOf: ['v1', ''] },
    kind: { oneOf: ['Config', ''] },
    'current-context': 'text',
    preferences: 'object',
    clusters: { list: { open, fields: { name: 'text', cluster } } },
    users: { list: { open, fields: { name: 'text', user } } },
    contexts: { list: { open, fields: { name: 'text', context } } },
    extensions,
  },
} as const satisfies Exclude<Shape, string>;
