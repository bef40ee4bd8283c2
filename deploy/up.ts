import { Command } from 'commander';
import { openInBrowser } from './cli/browser.js';
import { quote, runCluster } from './cli/foreground.js';
import { readUpOptions, withUpOptions } from './cli/upOptions.js';

/** `npm start`: a local control plane on this machine, until Ctrl-C. `raftplane up` is the same without a clone. */

const program = withUpOptions(
  new Command('npm start --')
    .description(
      'Starts a local Kubernetes control plane: API server replicas on Raft, a load balancer in front, and controller managers. Ctrl-C stops it; its data stays.',
    )
    .option('--data-dir <folder>', 'certificates, kubeconfig, logs and data', '.cluster')
    .option('--open', 'show the console in a browser, signed in', false),
).addHelpText('after', '\nSignals: SIGTERM and SIGINT stop everything; SIGUSR2 starts again what is down.');

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

try {
  program.parse();
  const { dataDir, open } = program.opts<{ readonly dataDir: string; readonly open: boolean }>();
  await runCluster(dataDir, readUpOptions(program), say, ({ kubeconfig, link }) => {
    process.stdout.write(`export KUBECONFIG=${quote(kubeconfig)}; kubectl get namespaces\n`);
    if (link !== null) say(`console: ${link} (once, within five minutes)`);
    if (open) openInBrowser(link, dataDir);
  });
  process.exitCode = 0;
} catch (error) {
  say(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
process.exit();
