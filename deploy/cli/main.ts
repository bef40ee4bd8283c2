#!/usr/bin/env node
import { CommanderError } from 'commander';
import { program } from './commands.js';
import { CommandRefused } from './control.js';
import { exitCodes, say } from './output.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  // The reader has gone (`| head`): exits like a program ended by SIGPIPE.
  process.exit(141);
});

try {
  await program().parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage;
  } else {
    const message = error instanceof Error ? error.message : String(error);
    say(process.argv.includes('--json') ? JSON.stringify({ error: message }) : `error: ${message}`);
    process.exitCode = error instanceof CommandRefused ? exitCodes.refused : exitCodes.failed;
  }
}
process.exit();
