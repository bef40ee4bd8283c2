import { expect } from 'chai';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { controllerManagerFlags } from '../../../../controllers/options/flags.js';
import { readControllerManagerOptions } from '../../../../controllers/options/read.js';
import { neutralOptionName } from '../../../../api/catalogue/vocabulary.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { apiServerFlags } from '../../../../server/options/flags.js';
import { replicaOptions } from '../../../../server/options/replica.js';

const errorsOf = (...argv: string[]): string => {
  const result = readApiServerOptions(argv);
  return result.ok ? '' : result.errors.join('\n');
};

const three = '--raft-initial-cluster=a=127.0.0.1:1,b=127.0.0.1:2,c=[::1]:3';
const certificates = ['--raft-ca-file=ca', '--raft-cert-file=crt', '--raft-key-file=key'];

const refused: [string[], RegExp][] = [
  [['--serving-threads=2', '--etcd-servers=https://a:1'], /--serving-threads above 1 is for the built-in store/],
  [['--tls-cert-file=a'], /--tls-cert-file and --tls-private-key-file belong together/],
  [['--bind-address=example.com'], /invalid argument "example.com" for "--bind-address" flag: want an IP address/],
  [['--goaway-chance=0.5'], /want a number from 0 to 0.02/],
  [['--raft-initial-cluster=a=127.0.0.1:1,b=127.0.0.1:2'], /need --raft-ca-file, --raft-cert-file, --raft-key-file/],
  [['--raft-member-id=x', three, ...certificates], /must hold this member: --raft-member-id is x, the cluster has a, b, c/],
  [['--raft-initial-cluster=a=127.0.0.1:1,a=127.0.0.1:2', ...certificates], /names a member twice: a, a/],
  [['--raft-initial-cluster=127.0.0.1:1'], /want a member such as a=10.0.0.1:2380/],
  [['--raft-member-id=A!'], /invalid argument "A!" for "--raft-member-id" flag/],
  [
    ['--coordinated-leadership-lease-duration=10s'],
    /--coordinated-leadership-lease-duration must be greater than --coordinated-leadership-renew-deadline/,
  ],
  [
    ['--coordinated-leadership-retry-period=10s'],
    /--coordinated-leadership-renew-deadline must be greater than --coordinated-leadership-retry-period/,
  ],
  [['--raft-election-timeout=100ms'], /--raft-election-timeout \(100ms\) must be at least five times --raft-heartbeat-interval \(50ms\)/],
  [['--storage-backend=memory', '--etcd-servers=https://a:1'], /--storage-backend=memory is one process/],
  [['--storage-backend=memory', '--serving-threads=2'], /--storage-backend=memory is one process/],
  [['--etcd-servers=https://a:1', '--etcd-servers-overrides=/events'], /want group\/resource#url;url/],
  [['--etcd-servers-overrides=/events#https://a:1'], /--etcd-servers-overrides needs --etcd-servers/],
  [['--etcd-servers=https://a:1', '--etcd-servers-overrides=/services#https://b:1'], /written together/],
  [['--etcd-servers=https://a:1', '--etcd-servers-overrides=/events#https://b:1,/events#https://c:1'], /names a resource twice/],
  [['--kvstore-certfile=f'], /--etcd-certfile and --etcd-keyfile belong together/],
  [['--kvstore-servers-overrides=/events#https://a:1'], /--etcd-servers-overrides needs --etcd-servers/],
  [['--authorization-mode=RBAC,RBAC'], /names a mode twice/],
  [['--authorization-mode=Nope'], /want one of AlwaysAllow, AlwaysDeny/],
  [['--authorization-mode=ABAC'], /--authorization-mode=ABAC needs --authorization-policy-file/],
  [['--authorization-policy-file=f'], /needs --authorization-mode to name ABAC/],
  [['--authorization-mode=Webhook'], /--authorization-mode=Webhook needs --authorization-webhook-config-file/],
  [['--authorization-webhook-config-file=f'], /needs --authorization-mode to name Webhook/],
  [['--authorization-webhook-version=v2'], /want one of v1, v1beta1/],
  [['--authorization-config=f', '--authorization-mode=RBAC'], /--authorization-config and --authorization-mode exclude each other/],
  [['--authorization-config=f', '--authorization-webhook-cache-authorized-ttl=1s'], /exclude each other/],
  [['--requestheader-client-ca-file=f', '--requestheader-username-headers=X Y'], /want the name of a header/],
  [['--service-account-signing-endpoint=s'], /--service-account-signing-endpoint needs --service-account-issuer/],
  [
    ['--service-account-signing-endpoint=s', '--service-account-issuer=i', '--service-account-key-file=k'],
    /--service-account-signing-endpoint and --service-account-key-file exclude each other/,
  ],
  [
    ['--service-account-signing-key-file=k', '--service-account-issuer=i'],
    /--service-account-signing-key-file needs --service-account-key-file/,
  ],
  [['--service-account-issuer=https://:x'], /contains a ':' and so must be a URL/],
  [['--service-account-issuer=a,a'], /names an issuer twice/],
  [['--service-account-max-token-expiration=1m'], /must be between 1h0m0s and/],
  [['--service-account-jwks-uri=http://x'], /want a URL that begins with https/],
  [['--tls-cipher-suites=TLS_RSA_WITH_AES_128_CBC_SHA'], /--tls-cipher-suites needs .* for HTTP\/2/],
  [['--min-request-timeout=-1'], /--min-request-timeout/],
  [
    [
      '--audit-log-path=-',
      '--audit-log-truncate-enabled',
      '--audit-log-truncate-max-batch-size=10',
      '--audit-log-truncate-max-event-size=100',
    ],
    /max-batch-size \(10\) must be above --audit-log-truncate-max-event-size \(100\)/,
  ],
  [
    [
      '--audit-webhook-config-file=f',
      '--audit-webhook-truncate-enabled',
      '--audit-webhook-truncate-max-batch-size=7',
      '--audit-webhook-truncate-max-event-size=7',
    ],
    /max-batch-size \(7\) must be above/,
  ],
  ...['example.com', '^example', 'example\\.com$', '.*'].map((pattern): [string[], RegExp] => [
    [`--cors-allowed-origins=${pattern}`],
    /tied to the start of the host name/,
  ]),
  ...['foo', 'max-age=soon', 'includesubdomains', 'max-age=1;preload'].map((directive): [string[], RegExp] => [
    [`--strict-transport-security-directives=${directive}`],
    /want max-age=SECONDS, includeSubDomains or preload/,
  ]),
  [['--service-cluster-ip-range=10.0.0.0/24,10.1.0.0/24'], /different address families/],
  [['--service-cluster-ip-range=10.0.0.0'], /want an address range/],
  [['--service-node-port-range=5-4'], /want a range of ports/],
  [['--cors-allowed-origins=('], /want a regular expression/],
  [['--tls-min-version=TLS1.2'], /want one of VersionTLS10/],
  [['--tls-cipher-suites=NOPE'], /invalid argument "NOPE" for "--tls-cipher-suites" flag/],
  [['--feature-gates=A=maybe'], /the value of "A" to be true or false/],
  [['--vmodule=x'], /want patterns with levels/],
  [['--version=1.2'], /invalid argument "1.2" for "--version" flag/],
  [['--logging-format=xml'], /want one of text, json/],
  [['--logging-format=json', '--vmodule=a=1'], /--vmodule is for --logging-format=text/],
  [['--log-text-split-stream'], /--feature-gates=LoggingAlphaOptions=true/],
  [['--feature-gates=WatchLists=true'], /is no feature of release 1\.36; did you mean WatchList/],
  [['--feature-gates=SidecarContainers=false'], /locked to true/],
  [['--emulated-version=1.99'], /want a version from 1\.33 to 1\.36/],
  [['--emulated-version=1.35', '--emulated-version=kube=1.34'], /more than one version: 1\.35, kube=1\.34/],
  [['--feature-gates=other:WatchList=false'], /want features of the component kube/],
  [['--feature-gates=WatchList=true, other:WatchList=false'], /want features of the component kube/],
  [['--service-node-port-range=30000+40000'], /want a range of ports/],
  [['--service-node-port-range=31000', '--kubernetes-service-node-port=31001'], /must be within --service-node-port-range \(31000\)/],
  [['--emulation-forward-compatible'], /needs --emulated-version below 1\.36/],
  [['--emulated-version=1.34', '--runtime-config=storagemigration.k8s.io/v1beta1=true'], /came after the emulated version 1\.34/],
  [['--show-hidden-metrics-for-version=1.2'], /only 1\.35/],
  [['--allow-metric-labels=foo'], /want a metric, one of its labels/],
  [
    ['--peer-advertise-ip=10.0.0.1', '--feature-gates=UnknownVersionInteroperabilityProxy=false'],
    /UnknownVersionInteroperabilityProxy=true/,
  ],
  [['--oidc-issuer-url=http://x', '--oidc-client-id=y'], /want a URL that begins with https/],
  [['--secure-port=-1'], /want a whole number from 0 to 65535/],
];

describe('API server options', () => {
  for (const [argv, message] of refused)
    it(`refuses ${argv.join(' ')}`, () => {
      expect(errorsOf(...argv)).to.match(message);
    });

  it('accepts an empty command line, and refuses what is not there', () => {
    expect(readApiServerOptions([])).to.deep.include({ ok: true, withoutEffect: [] });
    expect(errorsOf('--no-such-option=f')).to.match(/no-such-option/);
    expect(errorsOf('--kvstore-servers-overrides=f')).to.match(/want group\/resource#url/);
  });
  it('prints help and version even beside options that do not go together', () => {
    expect(readApiServerOptions(['--help', '--tls-cert-file=a'])).to.include({ ok: true });
  });
  it('accepts what the reference accepts', () => {
    for (const argv of [
      ['--apiserver-count=3'],
      ['--authentication-token-webhook-cache-ttl=1s', '--authentication-token-webhook-version=v1'],
      ['--requestheader-allowed-names=a', '--requestheader-username-headers=X-Remote-User', '--requestheader-group-headers=X-Remote-Group'],
      ['--audit-log-truncate-enabled', '--audit-log-truncate-max-batch-size=10', '--audit-log-truncate-max-event-size=100'],
      [
        '--coordinated-leadership-lease-duration=5s',
        '--coordinated-leadership-renew-deadline=3s',
        '--coordinated-leadership-retry-period=1s',
      ],
      ['--etcd-prefix=abc/registry'],
      ['--etcd-prefix=/registry/'],
      ['--etcd-healthcheck-timeout=0s', '--etcd-readycheck-timeout=0s'],
      ['--lease-reuse-duration-seconds=0', '--delete-collection-workers=0', '--storage-initialization-timeout=0s'],
      ['--service-account-jwks-uri=https:///openid/v1/jwks'],
      ['--tls-curve-preferences=23,29'],
    ])
      expect(errorsOf(...argv), argv.join(' ')).to.equal('');
    expect(errorsOf('--apiserver-count=0')).to.match(/--apiserver-count/);
    expect(errorsOf('--tls-curve-preferences=1')).to.match(/--tls-curve-preferences/);
  });
  it('describes the replica', () => {
    const result = readApiServerOptions(['--raft-member-id=b', three, ...certificates, '--raft-data-dir=/d']);
    if (!result.ok) throw new Error(result.errors.join());
    const replica = replicaOptions(result.options);
    expect(replica.initialMembers.map(({ id, address }) => [id, address])).to.deep.equal([
      ['a', '127.0.0.1:1'],
      ['b', '127.0.0.1:2'],
      ['c', '[::1]:3'],
    ]);
    expect(replica).to.deep.include({
      memberId: 'b',
      listenAddress: '127.0.0.1:2',
      dataDirectory: '/d',
      heartbeatIntervalMs: 50,
      electionTimeoutMs: 500,
      tls: { caFile: 'ca', certFile: 'crt', keyFile: 'key' },
    });
  });
  it('has the token of the cluster from a file, where arguments would show it', () => {
    const file = join(temporaryDirectory('token'), 'cluster-token');
    writeFileSync(file, 'blue\n');
    const withFile = readApiServerOptions([`--raft-cluster-token-file=${file}`]);
    expect(withFile.ok && replicaOptions(withFile.options).clusterToken).to.equal('blue');
    const withWord = readApiServerOptions(['--raft-cluster-token=red']);
    expect(withWord.ok && replicaOptions(withWord.options).clusterToken).to.equal('red');
    expect(errorsOf(`--raft-cluster-token-file=${file}`, '--raft-cluster-token=red')).to.contain('exclude each other');
    writeFileSync(file, ' ');
    expect(() => withFile.ok && replicaOptions(withFile.options)).to.throw('holds no cluster token');
  });
  it('needs no addresses and certificates for a replica alone', () => {
    const result = readApiServerOptions([]);
    expect(result.ok && replicaOptions(result.options)).to.deep.include({ listenAddress: null, tls: null });
  });
});

describe('controller manager options', () => {
  it('refuses what does not go together', () => {
    const result = readControllerManagerOptions([
      '--leader-elect-renew-deadline=20s',
      '--allocate-node-cidrs',
      '--cluster-signing-cert-file=a',
    ]);
    expect(result.ok ? [] : result.errors).to.have.length(3);
  });
});

/** Rows of the specification's option tables: the words before the first description, and defaults. */
function specified(): { server: string[]; manager: string[] } | null {
  const file = join(dirname(packageRoot), 'shared', 'spec', 'process-options.md');
  if (!existsSync(file)) return null;
  const lists = { server: [] as string[], manager: [] as string[] };
  let section = '';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.startsWith('#')) section = line.replace(/^#+ /, '');
    const cell = /^\| (.*?--[a-z][^|]*)\|/.exec(line)?.[1];
    if (cell === undefined) continue;
    const [first, ...suffixes] = [...cell.matchAll(/--?[a-z][a-z0-9-]*/g)].map(([word]) => word).filter((word) => !/^-[a-z]$/.test(word));
    const names =
      first === undefined
        ? []
        : suffixes[0] === '-key-file'
          ? [first, first.replace('-cert-file', '-key-file')]
          : cell.includes('`--')
            ? suffixes
            : [first];
    const manager = /^Controller manager/i.test(section);
    if (cell.includes('*')) continue;
    for (const name of names) {
      const bare = name.replace(/^--/, '');
      if (!manager) lists.server.push(bare);
      if (manager || section.startsWith('Options common')) lists.manager.push(bare);
    }
  }
  return lists;
}

describe('the options that the specification lists', () => {
  const lists = specified();
  const spellings = (table: object): Set<string> => new Set(Object.keys(table).flatMap((name) => [name, neutralOptionName(name) ?? name]));
  it('are all options of the API server', function () {
    if (lists === null) {
      this.skip();
      return;
    }
    expect(lists.server.length).to.be.above(150);
    expect(lists.server.filter((name) => !spellings(apiServerFlags).has(name))).to.deep.equal([]);
  });
  it('are all options of the controller manager', function () {
    if (lists === null) {
      this.skip();
      return;
    }
    expect(lists.manager.length).to.be.above(100);
    expect(lists.manager.filter((name) => !spellings(controllerManagerFlags).has(name))).to.deep.equal([]);
  });
});
