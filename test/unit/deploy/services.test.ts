import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { readControllerManagerOptions } from '../../../controllers/options/read.js';
import { loadKubeconfig } from '../../../controllers/client/kubeconfig.js';
import { makeCertificates } from '../../../deploy/cli/certificates.js';
import { ManifestChecker } from '../../../server/manifests/index.js';
import { readApiServerOptions } from '../../../server/options/read.js';
import { buildStages, stagesOf } from '../../fixtures/dockerfile.js';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

/** Compares container and service files with their programs and each other, without starting them. */

const file = (...names: readonly string[]): string => path.join(packageRoot, 'deploy', ...names);
const text = (...names: readonly string[]): string => fs.readFileSync(file(...names), 'utf8');

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly read_only?: boolean;
  readonly volumes?: readonly string[];
  readonly configs?: readonly unknown[];
  readonly cap_drop?: readonly string[];
}
interface Container {
  readonly command?: readonly string[];
  readonly args: readonly string[];
}

const compose = parse(text('compose.yaml'), { merge: true }) as { readonly services: Readonly<Record<string, Service>> };
interface Manifest {
  readonly kind: string;
  readonly spec: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
}
const manifests = parseAllDocuments(text('kubernetes', 'raftplane.yaml')).map((document) => document.toJS() as Manifest);
const workloads = manifests.flatMap(({ spec }) => spec.template?.spec.containers ?? []);

/** Writes certificates like `raftplane certificates`, at the files' paths. */
async function withCertificates(members: readonly string[]): Promise<(flags: readonly string[]) => string[]> {
  const folder = temporaryDirectory('services');
  await makeCertificates(folder, {
    members,
    names: ['balancer', '10.1.2.3'],
    server: 'https://localhost:6443',
    innerServer: 'https://balancer:6443',
  });
  return (flags) => flags.map((flag) => flag.replace('=/pki/', `=${folder}/`).replace('/var/lib/raftplane', path.join(folder, 'data')));
}

describe('deploy/services', () => {
  it('starts API servers and managers with options that they take, and with files that are made', async () => {
    const there = await withCertificates(['r1', 'r2', 'r3']);
    for (const id of ['r1', 'r2', 'r3']) {
      const flags = there(compose.services[id]!.command!);
      const result = readApiServerOptions(flags);
      expect(result, JSON.stringify(result)).to.have.property('ok', true);
      for (const named of flags.map((flag) => flag.split('=')[1] ?? '').filter((value) => /\.(crt|key|pub)$/.test(value)))
        expect(fs.existsSync(named), named).to.equal(true);
    }
    const manager = readControllerManagerOptions(there(compose.services['cm1']!.command!));
    expect(manager, JSON.stringify(manager)).to.have.property('ok', true);
  });

  it('says the same in another cluster', async () => {
    const there = await withCertificates(['raftplane-0']);
    const [server, manager] = workloads;
    const flags = there(server!.args.map((flag) => flag.replaceAll('$(POD_NAME)', 'raftplane-0')));
    expect(readApiServerOptions(flags)).to.have.property('ok', true);
    expect(readControllerManagerOptions(there(manager!.args))).to.have.property('ok', true);
  });

  it('describes objects that an API server takes without a warning', async () => {
    const checker = new ManifestChecker();
    for (const object of manifests)
      expect(await checker.check(object), JSON.stringify(object).slice(0, 80)).to.deep.equal({ findings: [], warnings: [] });
  });

  it('gives no container more than it needs', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service, name).to.deep.include({ read_only: true, cap_drop: ['ALL'] });
      expect(service.image).to.match(/^(raftplane$|haproxy:)/);
    }
    expect(text('Dockerfile').match(/^USER .*$/gm)).to.deep.equal(['USER node']);
    expect(text('Dockerfile.binary').match(/^USER .*$/gm)).to.deep.equal(['USER 65532:65532']);
  });

  it('makes certificates for the names that are asked for, and kubeconfigs that can be read', async () => {
    const folder = temporaryDirectory('certificates');
    const terms = {
      members: ['a'],
      names: ['api.example.org', '10.1.2.3'],
      server: 'https://api.example.org:6443',
      innerServer: 'https://inside:6443',
    };
    expect(await makeCertificates(folder, terms)).to.include.members(['ca.crt', 'raft-a.crt', 'admin.kubeconfig']);
    const certificate = new X509Certificate(fs.readFileSync(path.join(folder, 'apiserver.crt')));
    expect(certificate.checkHost('api.example.org')).to.equal('api.example.org');
    expect(certificate.checkIP('10.1.2.3')).to.equal('10.1.2.3');
    expect(loadKubeconfig(path.join(folder, 'controller-manager.kubeconfig')).server).to.equal('https://inside:6443');
    expect(await makeCertificates(folder, terms), 'nothing anew').to.deep.equal(['admin.kubeconfig', 'controller-manager.kubeconfig']);
  });

  it('copies into the image what there is, and runs programs that the package has', () => {
    const dockerfile = text('Dockerfile');
    const { bin } = JSON.parse(fs.readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
      readonly bin: Readonly<Record<string, string>>;
    };
    const [, programs = ''] = /for program in ([^;]+);/.exec(dockerfile) ?? [];
    expect(programs.split(' ').sort()).to.deep.equal(Object.keys(bin).sort());
    for (const source of ['package.json', 'package-lock.json', '.npmrc'])
      expect(fs.existsSync(path.join(packageRoot, source)), source).to.equal(true);
  });

  it('mounts files that there are, as nobody writes into a read-only container', () => {
    for (const { volumes = [], configs } of Object.values(compose.services)) {
      expect(configs).to.equal(undefined);
      const mounted = volumes.map((volume) => volume.split(':')[0]!).filter((source) => source.startsWith('.'));
      for (const source of mounted) expect(fs.existsSync(file(source)), source).to.equal(true);
    }
    const shared = text('compose-haproxy.cfg').match(/^ +(http-check|default-server|timeout|option|retries) .*$/gm) ?? [];
    expect(shared.length).to.be.greaterThan(10);
    const sample = text('haproxy.cfg').replace('/etc/kubernetes/pki', '/pki');
    for (const line of shared) expect(sample).to.include(line.trim().replace(' init-addr last,libc,none', ''));
  });

  it('has all libraries in the image of the one file', function () {
    // Another root and other owners.
    if (process.getuid?.() !== 0) this.skip();
    const folder = temporaryDirectory('scratch');
    const context = path.join(folder, 'context');
    fs.mkdirSync(context);
    // Node stands for the file, which is a Node with further contents.
    fs.copyFileSync(process.execPath, path.join(context, 'raftplane'));
    const [stage] = stagesOf(text('Dockerfile.binary'));
    const image = path.join(buildStages([stage!], { folder, context, prelude: '', environment: process.env }), 'image');
    for (const name of ['raftplane', 'apiserver', 'controller-manager']) {
      const { stdout, stderr } = spawnSync('chroot', ['--userspec=65532:65532', image, `/usr/local/bin/${name}`, '--version'], {
        encoding: 'utf8',
      });
      expect(stdout, stderr).to.equal(`${process.version}\n`);
    }
    expect(fs.statSync(path.join(image, 'var/lib/raftplane'))).to.include({ uid: 65532, mode: 0o040700 });
  });

  it('has units that run what the documents install', () => {
    const operations = fs.readFileSync(path.join(packageRoot, 'docs', 'operations.md'), 'utf8');
    const [, prefix = ''] = /npm install --global --prefix (\S+) raftplane/.exec(operations) ?? [];
    const { bin } = JSON.parse(fs.readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
      readonly bin: Readonly<Record<string, string>>;
    };
    for (const name of ['apiserver', 'controller-manager'])
      expect(text('systemd', `raftplane-${name}.service`)).to.include(
        `ExecStart=/usr/bin/node ${prefix}/lib/node_modules/raftplane/${bin[name]} `,
      );
  });

  it('has units that systemd understands', function () {
    const folder = temporaryDirectory('units');
    // The programs must exist, and Node's path varies.
    const units = fs.readdirSync(file('systemd')).map((name) => {
      const unit = path.join(folder, name);
      fs.writeFileSync(unit, text('systemd', name).replace('=/usr/bin/node ', `=${process.execPath} `));
      return unit;
    });
    const { status, stdout, stderr, error } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' });
    if (error !== undefined) this.skip();
    expect(status, stdout + stderr).to.equal(0);
    expect(stderr).to.equal('');
  });
});
