import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../files.js';
import { CommandRefused } from './control.js';
import type { Started } from './foreground.js';

export type Report = { readonly progress: string } | { readonly ready: Started } | { readonly failed: string; readonly isRefusal: boolean };

export const reportsToStarter = 'RAFTPLANE_DETACHED';

/** Starts `raftplane up` with these arguments in a separate process; resolves when its cluster is ready. */
export async function startDetached(directory: string, args: readonly string[], say: (line: string) => void): Promise<Started> {
  const log = path.join(directory, 'logs', 'launcher.log');
  makeFolder(path.dirname(log), 0o700);
  const output = fs.openSync(log, 'a', 0o600);
  // An older file may be open to others.
  fs.fchmodSync(output, 0o600);
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'up', ...args], {
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
    env: { ...process.env, [reportsToStarter]: '1' },
  });
  fs.closeSync(output);
  try {
    return await new Promise<Started>((resolve, reject) => {
      child.on('message', (report: Report) => {
        if ('progress' in report) say(report.progress);
        else if ('ready' in report) resolve(report.ready);
        else reject(report.isRefusal ? new CommandRefused(report.failed) : new Error(report.failed));
      });
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the launcher ended with status ${code}; its log: ${log}`)));
    });
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
}

export function report(message: Report): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
