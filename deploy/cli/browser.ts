import { spawn } from 'node:child_process';
import { say } from './output.js';

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Shows a page in the browser of whoever is here; says so where there is none. A link is a secret until it was used: it is never in a log. */
export function openInBrowser(link: string | null): void {
  if (link === null) return say('there is no console to open');
  const [program = 'xdg-open', ...args] = openers[process.platform] ?? ['xdg-open'];
  spawn(program, [...args, link], { stdio: 'ignore', detached: true })
    .on('error', () => {
      say(`no browser can be opened here (${program}): follow the link by hand`);
    })
    .unref();
}
