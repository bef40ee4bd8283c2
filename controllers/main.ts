#!/usr/bin/env node
import { helpText } from '../server/catalogue/flags/help.js';
import { release, versionInfo } from '../server/catalogue/version.js';
import { controllerManagerFlags } from './options/flags.js';
import { readControllerManagerOptions } from './options/read.js';

/** Exit codes: 0 for what was asked to be printed, 1 for what failed, 2 for a command line that cannot be right. */
function main(argv: readonly string[]): number {
  const read = readControllerManagerOptions(argv);
  if (!read.ok) {
    process.stderr.write(`${read.errors.map((error) => `controller-manager: ${error}\n`).join('')}See controller-manager --help.\n`);
    return 2;
  }
  const { help, version } = read.options;
  if (help) {
    process.stdout.write(helpText(controllerManagerFlags, { program: 'controller-manager', about, examples, width: process.stdout.columns ?? 100 }));
    return 0;
  }
  if (version === 'raw' || version === 'true') {
    process.stdout.write(version === 'raw' ? `${JSON.stringify(versionInfo(), null, 2)}\n` : `Kubernetes ${release}\n`);
    return 0;
  }
  process.stderr.write('controller-manager: this build holds no controllers yet, so there is nothing to run; --help lists the options that it will have\n');
  return 1;
}

const about = 'The controller manager runs the loops that move a cluster from the state that it is in to the state that is wanted. It watches and changes objects '
  + 'through the API server, as any client does. Any number of managers may run; one of them works, the others stand by. This build reads and checks the options, and holds no controllers yet.';

const examples = [{ about: 'One manager beside an API server.', command: 'controller-manager --kubeconfig=controller-manager.kubeconfig --use-service-account-credentials' }];

process.exitCode = main(process.argv.slice(2));
