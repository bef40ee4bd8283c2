import { spawn } from 'node:child_process';
import path from 'node:path';
import { writeFileAtomically } from '../files.js';
import { say } from './output.js';

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

type Begin = (program: string, args: readonly string[]) => void;

/**
 * Opens a link in the user's browser; reports where there is none. The link is a secret, but all users can read a program's arguments: the browser gets a
 * redirecting file in `directory`, readable by its owner only.
 */
export function openInBrowser(link: string | null, directory: string, begin: Begin = beginDetached): void {
  if (link === null) return say('there is no console to open');
  const file = path.join(path.resolve(directory), 'console.html');
  writeFileAtomically(file, leadingTo(link), 0o600);
  const [program = 'xdg-open', ...args] = openers[process.platform] ?? ['xdg-open'];
  begin(program, [...args, file]);
}

function beginDetached(program: string, args: readonly string[]): void {
  spawn(program, args, { stdio: 'ignore', detached: true })
    .on('error', () => {
      say(`no browser can be opened here (${program}): follow the link by hand`);
    })
    .unref();
}

/** Returns a document that redirects to an address, which needs no escapes. */
const leadingTo = (link: string): string =>
  `<!doctype html><meta charset="utf-8"><title>raftplane</title><meta http-equiv="refresh" content="0;url=${encodeURI(link)}">\n`;
