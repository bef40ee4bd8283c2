/** A tour of kubectl's commands in its own namespace, for every kubectl from 1.28 on. */
export interface Step {
  readonly args: readonly string[];
  /** On its standard input, as for `apply -f -`. */
  readonly input?: string;
  /** A pattern of its output. */
  readonly prints: RegExp;
  /** Its exit status; default 0. */
  readonly status?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs until it has printed that, then is killed. */
  readonly endless?: true;
}

const step = (command: string, prints: RegExp, more: Partial<Step> = {}): Step => ({ args: wordsOf(command), prints, ...more });
/** Words of a command line; single quotes enclose one. */
const wordsOf = (command: string): string[] => [...command.matchAll(/(?:'[^']*'|[^\s'])+/g)].map(([word]) => word.replaceAll("'", ''));
/** A command that watches, forwards or serves. */
const endless = (command: string, prints: RegExp): Step => step(command, prints, { endless: true });
const yaml = (object: object): string => JSON.stringify(object);

/** Files by name, below the working folder. */
export const filesOf = (suffix: string): Readonly<Record<string, string>> => ({
  [`kustomized-${suffix}/kustomization.yaml`]:
    'namePrefix: k-\ncommonAnnotations: {by: kustomize}\nresources: [cm.yaml]\nconfigMapGenerator:\n- name: made\n  literals: [a=b]\n',
  [`kustomized-${suffix}/cm.yaml`]: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {k: v}\n',
});

/** `suffix` distinguishes tours; `node` is an unused node; `signingRequest` a PKCS #10 request, PEM in base64. */
export function kubectlWalk({ suffix, node, signingRequest }: { suffix: string; node: string; signingRequest: string }): Step[] {
  const namespace = `walk-${suffix}`;
  const account = `system:serviceaccount:${namespace}:sa`;
  const configMap = (color: string): string => yaml({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'paint' }, data: { color } });
  const pruned = (...names: readonly string[]): string =>
    yaml({
      apiVersion: 'v1',
      kind: 'List',
      items: names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { walk: 'prune' } } })),
    });
  const inside = (steps: readonly Step[]): Step[] => steps.map((each) => ({ ...each, args: ['-n', namespace, ...each.args] }));
  return [
    step(`create namespace ${namespace}`, /namespace\/walk-\S+ created/),
    ...inside([
      step('create serviceaccount sa', /serviceaccount\/sa created/),
      step('create configmap cm --from-literal=a=b', /configmap\/cm created/),
      step('create secret generic se --from-literal=p=q', /secret\/se created/),
      step('create role reader --verb=get,list --resource=pods', /role\S*\/reader created/),
      step(`create rolebinding readers --role=reader --serviceaccount=${namespace}:sa`, /rolebinding\S*\/readers created/),
      step('create quota limits --hard=pods=50', /resourcequota\/limits created/),
      step('create job once --image=i', /job\.batch\/once created/),
      step(`create cronjob often --image=i --schedule='0 0 1 1 *'`, /cronjob\.batch\/often created/),
      step('create deployment web --image=img:1 --replicas=2', /deployment\.apps\/web created/),
      step('create service clusterip plain --tcp=80:80', /service\/plain created/),
      step('create ingress entry --rule=example.com/path=plain:80', /ingress\S*\/entry created/),
      step('create poddisruptionbudget budget --selector=app=none --min-available=1', /poddisruptionbudget\.policy\/budget created/),
      step('create token sa', /^[\w-]+\.[\w-]+\.[\w-]+\s*$/),
      step('create configmap cm --from-literal=a=b', /already exists/, { status: 1 }),
      step('create configmap dry --dry-run=server -o name', /configmap\/dry/),

      step(`auth can-i list pods --as=${account}`, /^yes/m),
      step(`auth can-i delete pods --as=${account}`, /^no/m, { status: 1 }),
      step(`auth can-i --list --as=${account}`, /pods\s+\[\]\s+\[\]\s+\[get list\]/),
      step('auth whoami', /Username\s+\S+/),

      step('rollout status deployment/web --timeout=60s', /successfully rolled out/),
      step('wait --for=condition=Available deployment/web --timeout=60s', /condition met/),
      step(`wait --for=jsonpath='{.status.readyReplicas}'=2 deployment/web --timeout=60s`, /condition met/),
      step('expose deployment web --port=80 --name=exposed', /service\/exposed exposed/),
      step('autoscale deployment web --min=1 --max=3', /horizontalpodautoscaler\S*\/web autoscaled/),
      step('scale deployment web --replicas=3', /deployment\.apps\/web scaled/),
      step('scale deployment web --current-replicas=7 --replicas=1', /xpected replicas to be 7, was 3/, { status: 1 }),
      step('set image deployment/web img=img:2', /image updated/),
      step('set env deployment/web A=1', /env updated/),
      step('set resources deployment/web --limits=cpu=1', /resource requirements updated/),
      step('set serviceaccount deployment web sa', /serviceaccount updated/),
      step('set selector service plain app=other', /selector updated/),
      step('set subject rolebinding readers --user=alice', /subjects updated/),
      step('rollout history deployment/web', /REVISION[\s\S]*\n2/),
      step('rollout undo deployment/web', /rolled back/),
      step('rollout pause deployment/web', /paused/),
      step('rollout resume deployment/web', /resumed/),
      step('rollout restart deployment/web', /restarted/),
      step('rollout status deployment/web --timeout=60s', /successfully rolled out/),
      step('rollout history deployment/web --revision=2', /Pod Template:[\s\S]*img:2/),
      step('get deployment web --subresource=status -o jsonpath={.status.replicas}', /^\d+$/),
      step(`patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'`, /web patched|web scaled/),
      step('rollout status deployment/web --timeout=60s', /successfully rolled out/),

      step('run runner --image=i', /pod\/runner created/),
      step('wait --for=condition=Ready pod/runner --timeout=60s', /condition met/),
      step('exec runner -- env', /HOSTNAME=runner/),
      step('exec -i runner -- cat', /^from here\s*$/, { input: 'from here\n' }),
      step(`exec runner -- sh -c 'exit 7'`, /exit code 7/, { status: 7 }),
      step('debug runner --image=i -c bug', /[\s\S]*/),
      step('get pod runner -o jsonpath={.spec.ephemeralContainers[0].name}', /^bug$/),
      endless('port-forward pod/runner :80', /Forwarding from 127\.0\.0\.1:\d+ -> 80/),
      endless('proxy --port=0', /Starting to serve/),
      endless('get pods -w', /runner\s+1\/1\s+Running/),
      endless('get pods -w --output-watch-events -o name', /ADDED\s+pod\/runner|pod\/runner/),
      step('delete pod runner --now', /"runner" deleted/),
      step('delete pods -l app=none', /No resources found/),

      step('label configmap cm color=red', /labeled/),
      step('label configmap cm color=blue', /already has a value/, { status: 1 }),
      step('label configmap cm color=blue --overwrite', /labeled/),
      step('label configmap cm color-', /unlabeled/),
      step('annotate configmap cm note=x', /annotated/),
      step(`patch configmap cm --type=merge -p '{"data":{"m":"1"}}'`, /patched/),
      step(`patch configmap cm --type=json -p '[{"op":"add","path":"/data/j","value":"1"}]'`, /patched/),
      step(`patch deployment web -p '{"spec":{"template":{"spec":{"containers":[{"name":"img","tty":true}]}}}}'`, /patched/),
      step(`patch configmap cm -p '{"metadata":{"labels":"text"}}'`, /cannot restore map from string/, { status: 1 }),
      step('edit configmap cm', /edited/, { environment: { KUBE_EDITOR: `sed -i s/m:/n:/` } }),
      step('edit configmap cm', /no changes made/, { environment: { KUBE_EDITOR: 'true' } }),

      step('apply -f -', /configmap\/paint created/, { input: configMap('red') }),
      step('apply -f -', /configmap\/paint unchanged/, { input: configMap('red') }),
      step('diff -f -', /\+\s+color: green/, { input: configMap('green'), status: 1 }),
      step('apply -f -', /configmap\/paint configured/, { input: configMap('green') }),
      step('apply view-last-applied configmap paint', /color: green/),
      step('apply --server-side --force-conflicts --field-manager=walk -f -', /serverside-applied/, { input: configMap('blue') }),
      step('replace -f -', /replaced/, { input: configMap('white') }),
      step('get configmap paint -o jsonpath={.data.color}', /^white$/),
      step('apply -f - --validate=strict', /unknown field "oops"/, {
        input: yaml({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'paint' }, oops: 1 }),
        status: 1,
      }),
      step('apply --prune -l walk=prune -f -', /configmap\/one created[\s\S]*configmap\/two created/, { input: pruned('one', 'two') }),
      step('apply --prune -l walk=prune -f -', /configmap\/one unchanged[\s\S]*configmap\/two pruned/, { input: pruned('one') }),
      step('auth reconcile -f -', /role\S*\/kept reconciled/, {
        input: yaml({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { name: 'kept', namespace },
          rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
        }),
      }),
      step(`apply -k kustomized-${suffix}`, /configmap\/k-made-\w+ created[\s\S]*configmap\/k-plain created/),

      step(
        'get all',
        /pod\/web-[\s\S]*service\/exposed[\s\S]*deployment\.apps\/web[\s\S]*replicaset\.apps\/web-[\s\S]*cronjob\.batch\/often/,
      ),
      step('get pods -o wide', /NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\s+IP\s+NODE/),
      step('get deployments -o custom-columns=N:.metadata.name,R:.spec.replicas', /^N\s+R\s+web\s+2\s*$/),
      step('get pods --field-selector=status.phase=Running -l app=web --no-headers', /web-/),
      step('get configmaps --sort-by=.metadata.name -o name', /configmap\/cm[\s\S]*configmap\/paint/),
      step('get configmaps --chunk-size=1 -o name', /configmap\/cm[\s\S]*configmap\/paint/),
      step('get configmaps -A --show-labels', /walk-\S+\s+one\s+\d+\s+\S+\s+walk=prune/),
      step('get deployment/web service/plain -o yaml', /kind: Deployment[\s\S]*kind: Service[\s\S]*kind: List/),
      step('get hpa', /TARGETS[\s\S]*Deployment\/web/),
      step('get cronjobs', /SUSPEND[\s\S]*False/),
      step('describe deployment web', /StrategyType:\s+RollingUpdate/),
      step('describe service exposed', /Endpoints:/),
      step('describe quota limits', /pods\s+\d+\s+50/),
      step('events', /LAST SEEN\s+TYPE\s+REASON/),
      step('get --raw /readyz', /^ok$/),
      step('events --for=deployment/web', /ScalingReplicaSet/),
      step('logs deployment/web --tail=5 --timestamps', /[\s\S]*/),
      step('logs -l app=web --prefix', /[\s\S]*/),
      step('top pods', /Metrics API not available/, { status: 1 }),
    ]),

    step('explain pods.spec.containers', /FIELDS:[\s\S]*image\s+<string>/),
    step('explain pods.spec.containers --output=plaintext-openapiv2', /FIELDS:[\s\S]*image\s+<string>/),
    step('explain deployment --recursive', /strategy\s+<DeploymentStrategy>/),
    step('api-resources --namespaced=false', /nodes\s+no\s+v1\s+false\s+Node/),
    step('api-resources --verbs=list,watch -o name', /^deployments\.apps$/m),
    step('top nodes', /Metrics API not available/, { status: 1 }),
    step('api-versions', /^apps\/v1$/m),
    step('cluster-info', /control plane/),
    step('version', /Server Version: v1\.36/),
    step(`taint nodes ${node} k${suffix}=v:NoSchedule`, /tainted/),
    step(`taint nodes ${node} k${suffix}-`, /untainted/),
    step(`cordon ${node}`, /cordoned/),
    step(`get node ${node}`, /SchedulingDisabled/),
    step(`drain ${node} --ignore-daemonsets --delete-emptydir-data --force --timeout=60s`, /drained/),
    step(`uncordon ${node}`, /uncordoned/),
    step(`describe node ${node}`, /Conditions:[\s\S]*Capacity:/),
    step('apply -f -', /created/, {
      input: yaml({
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: `walk-${suffix}` },
        spec: { request: signingRequest, signerName: 'example.com/walk', usages: ['client auth'] },
      }),
    }),
    step(`certificate approve walk-${suffix}`, /approved/),
    step(`get csr walk-${suffix}`, /Approved/),
    step(`delete csr walk-${suffix}`, /deleted/),
    ...inside([
      step('delete configmap cm paint', /"cm" deleted[\s\S]*"paint" deleted/),
      step('get configmap cm', /NotFound/, { status: 1 }),
      step('delete deployment web --cascade=foreground --timeout=60s', /deleted/),
      step('wait --for=delete pod -l app=web --timeout=60s', /[\s\S]*/),
    ]),
    step(`delete namespace ${namespace} --timeout=60s`, /deleted/),
  ];
}
