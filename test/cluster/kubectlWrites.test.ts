import { expect } from 'chai';
import type { ClusterCommands } from '../fixtures/kubectl.js';
import { commandsUnderTest } from './commandsUnderTest.js';

const deployment = (name: string, { replicas = 2, image = 'main:1' } = {}): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels:
    app: ${name}
spec:
  replicas: ${replicas}
  selector:
    matchLabels:
      app: ${name}
  template:
    metadata:
      labels:
        app: ${name}
    spec:
      containers:
      - name: main
        image: ${image}
      - name: side
        image: side:1
`;

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: ${value}\n`;

describe('cluster/kubectl writes', function () {
  let commands: ClusterCommands;
  commandsUnderTest((started) => {
    ({ commands } = started);
  });

  const kubectl = (...args: string[]): Promise<string> => commands.kubectl(...args);
  const apply = (manifest: string, ...args: string[]): Promise<string> => commands.kubectlWithInput(manifest, 'apply', '-f', '-', ...args);
  const show = (what: string, name: string, path: string): Promise<string> => kubectl('get', what, name, '-o', `jsonpath={${path}}`);
  const failing = async (
    args: readonly string[],
    input = '',
  ): Promise<{ readonly status: number | null; readonly stderr: string; readonly stdout: string }> => {
    const finished = await commands.try('kubectl', args, input);
    expect(finished.status, finished.stdout).to.not.equal(0);
    return finished;
  };

  describe('apply', () => {
    it('removes what the last configuration had and this one has not', async () => {
      await apply(`${configMap('kept', 'a')}  gone: b\n`);
      await kubectl('patch', 'configmap', 'kept', '--type=merge', '-p', '{"data":{"other":"c"}}');
      expect(await apply(configMap('kept', 'a'))).to.contain('configmap/kept configured');
      expect(JSON.parse(await show('configmap', 'kept', '.data'))).to.deep.equal({ value: 'a', other: 'c' });
    });

    it('on the server names the conflict and its manager, and takes over with --force-conflicts', async () => {
      expect(await apply(deployment('owned'), '--server-side', '--field-manager=first')).to.equal(
        'deployment.apps/owned serverside-applied\n',
      );
      const other = ['apply', '--server-side', '--field-manager=second', '-f', '-'];
      const { status, stderr } = await failing(other, deployment('owned', { replicas: 5, image: 'main:2' }));
      expect(status).to.equal(1);
      expect(stderr).to.contain(
        'Apply failed with 2 conflicts: conflicts with "first":\n- .spec.replicas\n- .spec.template.spec.containers[name="main"].image\n',
      );
      expect(await show('deployment', 'owned', '.spec.replicas')).to.equal('2');
      await commands.kubectlWithInput(deployment('owned', { replicas: 5 }), ...other, '--force-conflicts');
      expect(await show('deployment', 'owned', '.spec.replicas')).to.equal('5');
      const { stderr: back } = await failing(['apply', '--server-side', '--field-manager=first', '-f', '-'], deployment('owned'));
      expect(back).to.contain('Apply failed with 1 conflict: conflict with "second": .spec.replicas');
    });

    it('on the server follows an apply by the client, whose fields it takes over', async () => {
      await apply(configMap('moved', 'a'));
      expect(await apply(configMap('moved', 'b'), '--server-side')).to.equal('configmap/moved serverside-applied\n');
      const managers = JSON.parse(
        await kubectl('get', 'configmap', 'moved', '--show-managed-fields', '-o', 'jsonpath={.metadata.managedFields}'),
      ) as { manager: string; operation: string }[];
      expect(managers.map(({ manager, operation }) => `${manager} ${operation}`)).to.have.members([
        'kubectl Apply',
        'kubectl-last-applied Apply',
      ]);
      expect(
        JSON.parse(await show('configmap', 'moved', '.metadata.annotations.kubectl\\.kubernetes\\.io/last-applied-configuration')),
      ).to.have.nested.property('data.value', 'b');
      await kubectl('patch', 'configmap', 'moved', '--type=merge', '-p', '{"data":{"value":"c"}}');
      const { stderr } = await failing(['apply', '--server-side', '-f', '-'], configMap('moved', 'b'));
      expect(stderr).to.contain('conflict with "kubectl-patch" using v1: .data.value');
    });

    it('as a dry run tells what would happen and does nothing', async () => {
      expect(await apply(configMap('absent', 'a'), '--dry-run=server')).to.equal('configmap/absent created (server dry run)\n');
      expect((await failing(['get', 'configmap', 'absent'])).stderr).to.contain('not found');
    });
  });

  describe('diff', () => {
    it('ends with 1 and shows what would change, and with 0 when nothing would', async () => {
      await apply(deployment('compared'));
      const { status, stdout } = await commands.try(
        'kubectl',
        ['diff', '-f', '-'],
        deployment('compared', { replicas: 7, image: 'main:2' }),
      );
      expect(status).to.equal(1);
      expect(stdout).to.contain('\n-  replicas: 2\n+  replicas: 7\n').and.to.contain('\n-      - image: main:1\n+      - image: main:2\n');
      expect((await commands.try('kubectl', ['diff', '-f', '-'], deployment('compared'))).status).to.equal(0);
      expect((await commands.try('kubectl', ['diff', '--server-side', '-f', '-'], configMap('new', 'a'))).stdout).to.contain('+  value: a');
      expect(await show('deployment', 'compared', '.spec.replicas')).to.equal('2');
    });
  });

  describe('edit', () => {
    it('writes what the editor changed, and nothing when it changed nothing', async () => {
      await apply(configMap('edited', 'before'));
      const edit = async (editor: string): Promise<string> => {
        const { status, stdout, stderr } = await commands.try('kubectl', ['edit', 'configmap', 'edited'], '', { KUBE_EDITOR: editor });
        expect(status, stderr).to.equal(0);
        return stdout + stderr;
      };
      expect(await edit('sed -i s/before/after/')).to.contain('configmap/edited edited');
      expect(await show('configmap', 'edited', '.data.value')).to.equal('after');
      expect(await edit('true')).to.contain('Edit cancelled, no changes made.');
    });
  });

  describe('patch', () => {
    it('merges lists by key, replaces members, and follows operations, also of subresources', async () => {
      await apply(deployment('patched'));
      const patch = (...args: string[]): Promise<string> => kubectl('patch', 'deployment', 'patched', ...args);
      await patch('-p', '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:2"}]}}}}');
      await patch('--type=merge', '-p', '{"metadata":{"labels":{"merged":"yes"}}}');
      await patch(
        '--type=json',
        '-p',
        '[{"op":"test","path":"/spec/replicas","value":2},{"op":"replace","path":"/spec/replicas","value":3}]',
      );
      expect(
        await show('deployment', 'patched', '.spec.replicas} {.metadata.labels.merged} {.spec.template.spec.containers[*].image'),
      ).to.equal('3 yes main:1 side:2');
      await patch('--subresource=scale', '--type=merge', '-p', '{"spec":{"replicas":4}}');
      await patch('--subresource=status', '--type=merge', '-p', '{"spec":{"replicas":9},"status":{"observedGeneration":1}}');
      expect(await show('deployment', 'patched', '.spec.replicas')).to.equal('4');
      expect(
        (await failing(['patch', 'deployment', 'patched', '--type=json', '-p', '[{"op":"test","path":"/spec/replicas","value":1}]']))
          .stderr,
      ).to.contain('the server rejected our request due to an error in our request');
    });
  });

  describe('scale', () => {
    it('sets the number, if it is what it should be', async () => {
      await apply(deployment('scaled'));
      expect(await kubectl('scale', 'deployment', 'scaled', '--current-replicas=2', '--replicas=1')).to.equal(
        'deployment.apps/scaled scaled\n',
      );
      expect((await failing(['scale', 'deployment', 'scaled', '--current-replicas=2', '--replicas=3'])).stderr).to.contain(
        'Expected replicas to be 2, was 1',
      );
      expect(await show('deployment', 'scaled', '.spec.replicas')).to.equal('1');
    });
  });

  describe('replace', () => {
    it('replaces an object, refuses an old one, and with --force makes a new one', async () => {
      await commands.kubectlWithInput(configMap('replaced', 'a'), 'create', '-f', '-');
      const old = await kubectl('get', 'configmap', 'replaced', '-o', 'yaml');
      expect(await commands.kubectlWithInput(configMap('replaced', 'b'), 'replace', '-f', '-')).to.equal('configmap/replaced replaced\n');
      expect((await failing(['replace', '-f', '-'], old)).stderr).to.contain(
        'the object has been modified; please apply your changes to the latest version and try again',
      );
      const uid = await show('configmap', 'replaced', '.metadata.uid');
      await commands.kubectlWithInput(configMap('replaced', 'c'), 'replace', '--force', '-f', '-');
      expect(await show('configmap', 'replaced', '.data.value')).to.equal('c');
      expect(await show('configmap', 'replaced', '.metadata.uid')).to.not.equal(uid);
      expect((await failing(['replace', '-f', '-'], configMap('never-made', 'a'))).stderr).to.contain('configmaps "never-made" not found');
    });
  });

  describe('label and annotate', () => {
    it('refuse to overwrite unless told, and do nothing twice', async () => {
      await apply(configMap('labelled', 'a'));
      expect(await kubectl('label', 'configmap', 'labelled', 'tier=front')).to.contain('labelled labeled');
      expect((await failing(['label', 'configmap', 'labelled', 'tier=back'])).stderr).to.contain(
        "'tier' already has a value (front), and --overwrite is false",
      );
      const version = await show('configmap', 'labelled', '.metadata.resourceVersion');
      expect(await kubectl('label', 'configmap', 'labelled', 'tier=front', '--overwrite')).to.contain('not labeled');
      expect(await show('configmap', 'labelled', '.metadata.resourceVersion')).to.equal(version);
      expect(await kubectl('annotate', 'configmap', 'labelled', 'a.example/note=x', '--overwrite')).to.contain('annotated');
    });
  });

  describe('rollouts', () => {
    it('sets an image, shows the history, and goes back', async () => {
      await apply(deployment('rolled', { replicas: 0 }));
      await kubectl(
        'wait',
        '--for=jsonpath={.metadata.annotations.deployment\\.kubernetes\\.io/revision}=1',
        'deployment/rolled',
        '--timeout=30s',
      );
      expect(await kubectl('set', 'image', 'deployment/rolled', 'main=main:2')).to.equal('deployment.apps/rolled image updated\n');
      await kubectl('annotate', 'deployment/rolled', 'kubernetes.io/change-cause=a new image');
      await kubectl(
        'wait',
        '--for=jsonpath={.metadata.annotations.deployment\\.kubernetes\\.io/revision}=2',
        'deployment/rolled',
        '--timeout=30s',
      );
      await kubectl('rollout', 'status', 'deployment/rolled', '--timeout=30s');
      expect(await kubectl('rollout', 'history', 'deployment/rolled')).to.match(/^REVISION +CHANGE-CAUSE\n1 +<none>\n2 +a new image$/m);
      expect(await kubectl('rollout', 'history', 'deployment/rolled', '--revision=1')).to.match(/Image:\s+main:1\n/);
      await kubectl('rollout', 'undo', 'deployment/rolled', '--to-revision=1');
      expect(await show('deployment', 'rolled', '.spec.template.spec.containers[0].image')).to.equal('main:1');
    });
  });

  describe('delete', () => {
    const owner = async (name: string): Promise<string> => {
      await apply(deployment(name, { replicas: 0 }));
      await kubectl('wait', '--for=jsonpath={.status.observedGeneration}=1', `deployment/${name}`, '--timeout=30s');
      const owned = (await kubectl('get', 'replicaset', '-l', `app=${name}`, '-o', 'name')).trim();
      expect(owned).to.match(new RegExp(`^replicaset.apps/${name}-`));
      return owned;
    };

    it('in the background takes the object at once and what it owns soon', async () => {
      const owned = await owner('background');
      await kubectl('delete', 'deployment', 'background', '--cascade=background');
      await kubectl('wait', '--for=delete', owned, '--timeout=30s');
    });

    it('in the foreground takes what it owns first', async () => {
      const owned = await owner('foreground');
      await kubectl('patch', owned, '--type=merge', '-p', '{"metadata":{"finalizers":["example.com/hold"]}}');
      await kubectl('delete', 'deployment', 'foreground', '--cascade=foreground', '--wait=false');
      await kubectl('wait', '--for=jsonpath={.metadata.deletionTimestamp}', owned, '--timeout=30s');
      expect(await show('deployment', 'foreground', '.metadata.finalizers[*]')).to.equal('foregroundDeletion');
      await kubectl('patch', owned, '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
      await kubectl('wait', '--for=delete', 'deployment/foreground', '--timeout=30s');
      expect((await failing(['get', owned])).stderr).to.contain('not found');
    });

    it('as an orphan leaves what it owns, without an owner', async () => {
      const owned = await owner('orphaned');
      await kubectl('delete', 'deployment', 'orphaned', '--cascade=orphan', '--timeout=30s');
      expect(await kubectl('get', owned, '-o', 'jsonpath={.metadata.name} {.metadata.ownerReferences}')).to.match(/^orphaned-\w+ $/);
      await kubectl('delete', owned);
    });

    it('takes all that a selector picks', async () => {
      for (const name of ['picked-1', 'picked-2', 'spared']) await apply(configMap(name, 'a'));
      await kubectl('label', 'configmap', 'picked-1', 'picked-2', 'picked=yes');
      await kubectl('delete', 'configmap', '-l', 'picked=yes');
      expect((await commands.try('kubectl', ['get', 'configmap', 'picked-1', 'picked-2', 'spared', '-o', 'name'])).stdout).to.equal(
        'configmap/spared\n',
      );
    });
  });

  describe('wait', () => {
    it('sees a condition, a value and a deletion come', async () => {
      await apply(deployment('awaited', { replicas: 0 }));
      await kubectl('wait', '--for=condition=Available', 'deployment/awaited', '--timeout=30s');
      expect((await failing(['wait', '--for=condition=Never', 'deployment/awaited', '--timeout=1s'])).stderr).to.contain(
        'timed out waiting for the condition',
      );
      await apply(configMap('awaited', 'a'));
      const value = kubectl('wait', '--for=jsonpath={.data.value}=b', 'configmap/awaited', '--timeout=30s');
      const gone = kubectl('wait', '--for=delete', 'configmap/awaited', '--timeout=30s');
      await apply(configMap('awaited', 'b'));
      expect(await value).to.contain('condition met');
      await kubectl('delete', 'configmap', 'awaited');
      await gone;
    });
  });
});
