import type { Command } from 'commander';
import { exitCodes } from './output.js';

interface Help {
  readonly examples: readonly (readonly [line: string, what: string])[];
  readonly notes?: string;
}

const ofRoot: Help = {
  examples: [
    ['raftplane up --detach', 'three API servers and their controllers, until "raftplane stop"'],
    ['raftplane up --name demo --nodes 3', 'another one, in this terminal, with nodes that pretend to run pods'],
    ['raftplane kubeconfig --merge', 'a context in ~/.kube/config'],
    ['raftplane kill r1; raftplane status', 'see what a failover looks like'],
    ['raftplane stop --delete', 'nothing of it is left'],
  ],
};

const ofCommands: Readonly<Record<string, Help>> = {
  up: {
    examples: [
      ['raftplane up --detach --replicas 1', 'one API server, and the terminal back once it is ready'],
      ['raftplane up --detach --json', 'the same as a document with addresses and process ids, for scripts'],
      ['raftplane up --config cluster.yaml --apiserver-flag=--v=4', 'settings from a file, and flags of the API servers'],
      ['raftplane up --name again --restore monday.backup', 'a new cluster with what another one had'],
    ],
    notes: 'Signals: SIGTERM and SIGINT stop everything; SIGUSR2 starts again what is down.',
  },
  status: {
    examples: [
      ['raftplane status', 'who runs, who leads'],
      ["raftplane status --json | jq -r '.leader'", 'the leader alone'],
    ],
  },
  stop: {
    examples: [
      ['raftplane stop', 'the data stays'],
      ['raftplane stop --delete --name demo', 'nothing of it is left'],
    ],
  },
  logs: {
    examples: [
      ['raftplane logs r1', 'its last lines'],
      ['raftplane logs --follow', 'what all programs say from now on'],
      ['raftplane logs cm1 --json', 'a document for each line: program and line'],
    ],
  },
  kill: { examples: [['raftplane kill r1', 'then "raftplane restart r1"']] },
  pause: { examples: [['raftplane pause r1', 'then "raftplane resume r1"']] },
  resume: { examples: [['raftplane resume r1', 'after "raftplane pause r1"']] },
  partition: { examples: [['raftplane partition r1', 'then "raftplane heal r1"']] },
  heal: { examples: [['raftplane heal r1', 'after "raftplane partition r1"']] },
  restart: { examples: [['raftplane restart cm1', 'whether it runs or not']] },
  console: { examples: [['raftplane console --open', 'in a browser, signed in']] },
  schema: {
    examples: [['raftplane schema > up.schema.json', 'for "# yaml-language-server: $schema=up.schema.json" in the file of "up --config"']],
  },
  kubeconfig: {
    examples: [
      ['raftplane kubeconfig > admin.kubeconfig', 'a file of your own'],
      ['raftplane kubeconfig --merge', 'the current context of kubectl'],
    ],
  },
  backup: { examples: [['raftplane backup monday.backup', 'then "raftplane restore monday.backup", here or in another cluster']] },
  restore: {
    examples: [['raftplane restore monday.backup --name demo', 'demo holds what was backed up, and nothing else']],
    notes: 'The file is looked at first: one that is damaged changes nothing. The cluster does not answer meanwhile.',
  },
  reset: { examples: [['raftplane reset', 'as new, at the same address']] },
  certificates: {
    examples: [
      ['raftplane certificates pki --members a,b,c --names api.example.org', 'for three servers of yours and the name they have in common'],
    ],
  },
  'test-cluster': {
    examples: [
      ['raftplane test-cluster --json --end-with-stdin', 'from a test: reads one line of JSON, and closes the pipe at the end'],
      ['raftplane test-cluster --replicas 1 --no-controllers', 'one API server alone'],
    ],
    notes:
      'It prints how to reach it once it is ready: a kubeconfig, and the address and token of the door for faults (POST /ACTION with a JSON object).',
  },
  fault: {
    examples: [
      ['raftplane fault', 'which actions there are'],
      ['raftplane fault kill member=leader', 'the leader is gone'],
      ['raftplane fault fail match="PUT /apis/apps/**" status=409', 'the next such request meets a conflict'],
    ],
    notes: 'RAFTPLANE_FAULTS and RAFTPLANE_FAULTS_TOKEN say which cluster is meant; "raftplane test-cluster" prints them.',
  },
  explore: {
    examples: [
      ['raftplane explore --crds config/crd --scenario scenario -- ./my-operator', 'every plan, with one report at the end'],
      ['raftplane explore --budget 10m --scenario scenario -- node operator.mjs', 'as many as ten minutes allow'],
      ['raftplane explore --replay explore-plans/finding-1.json --scenario scenario -- ./my-operator', 'one finding again'],
    ],
    notes:
      'Exit status: 0 without a finding, 1 with one. Ctrl-C ends it; after the undisturbed runs, what was found until then is reported.',
  },
  lint: {
    examples: [
      ['raftplane lint deploy/', 'all manifests below a folder'],
      ['raftplane lint config/crd/ samples/', 'samples by the definitions that stand among the files'],
      ['helm template ./chart | raftplane lint -', 'what a chart makes'],
    ],
    notes: 'Exit status: 0 without a finding, 1 with one. Admission and other objects of a cluster take no part.',
  },
  'envtest-assets': {
    examples: [
      ['eval "$(raftplane envtest-assets ./assets)"; go test ./...', 'instead of setup-envtest'],
      ['raftplane envtest-assets --controllers ./assets', 'with the controllers that envtest lacks'],
      ['raftplane envtest-assets --store etcd ./assets', 'over a real etcd of this machine'],
    ],
  },
  doctor: {
    examples: [
      ['raftplane doctor', 'before the first start'],
      ['raftplane doctor --json', 'findings for scripts'],
    ],
  },
  version: { examples: [['raftplane version --json', '']] },
  completion: {
    examples: [
      ['source <(raftplane completion bash)', 'in ~/.bashrc; zsh the same in ~/.zshrc'],
      ['raftplane completion fish | source', 'in ~/.config/fish/config.fish'],
    ],
  },
};

const codes = `Exit codes: 0 done, ${exitCodes.failed} failed, ${exitCodes.usage} a command line that cannot be right, ${exitCodes.refused} refused as things are: no such cluster, no such member.`;

/** Adds examples and exit codes to a command and its subcommands. Throws where one of them has no examples. */
export function withHelp(root: Command): Command {
  root.addHelpText('after', text(ofRoot));
  for (const command of root.commands) {
    const help = ofCommands[command.name()];
    if (help === undefined) throw new Error(`the command ${command.name()} has no examples`);
    command.addHelpText('after', text(help));
  }
  return root;
}

function text({ examples, notes }: Help): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, what]) => `  ${line.padEnd(width)}  ${what}`.trimEnd());
  return ['', 'Examples:', ...lines, '', ...(notes === undefined ? [] : [notes, '']), codes].join('\n');
}
