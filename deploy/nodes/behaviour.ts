import type { Container, Pod } from '../../api/types/core/v1.js';

/** The simulated behaviour of a pod's program. Pure. */
export interface Behaviour {
  readonly readyAfterMs: number;
  /** Time until it ends by itself; null for never. */
  readonly runMs: number | null;
  readonly exitCode: number;
  readonly stopMs: number;
}

interface Program extends Container {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

const prefix = 'fake-node/';
const defaultRunMs = 1_000;
const defaultStopMs = 200;

/** Decides by annotations, then by the command line of the first container, then by the restart policy. */
export function behaviourOf(pod: Pod): Behaviour {
  const said = (name: string): string | undefined => pod.metadata.annotations?.[prefix + name];
  const line = commandLine(pod);
  const endless = (pod.spec?.restartPolicy ?? 'Always') === 'Always';
  const runs = said('run-seconds') ?? slept(line);
  return {
    readyAfterMs: milliseconds(said('ready-after-seconds')) ?? 0,
    runMs: runs === undefined ? (endless ? null : defaultRunMs) : milliseconds(runs),
    exitCode: code(said('exit-code') ?? exited(line)),
    stopMs: milliseconds(said('stop-seconds')) ?? defaultStopMs,
  };
}

function commandLine({ spec }: Pod): string {
  const { command = [], args = [] }: Program = spec?.containers?.[0] ?? { name: '' };
  return [...command, ...args].join(' ');
}

/** Returns the seconds that a shell line sleeps; undefined where it does not. */
function slept(line: string): string | undefined {
  const words = [...line.matchAll(/\bsleep\s+(infinity|\d+(?:\.\d+)?)\b/g)].map((match) => match[1] ?? '');
  if (words.includes('infinity')) return 'forever';
  return words.length === 0 ? undefined : String(words.reduce((sum, word) => sum + Number(word), 0));
}

const exited = (line: string): string | undefined =>
  /\bexit\s+(\d+)\b/.exec(line)?.[1] ?? (/(?:^|[\s;/])false$/.test(line) ? '1' : undefined);

/** Returns null for text that is no number of seconds, such as `forever`. */
const milliseconds = (seconds: string | undefined): number | null =>
  seconds !== undefined && /^\d+(\.\d+)?$/.test(seconds) ? Number(seconds) * 1_000 : null;
const code = (text: string | undefined): number => (text !== undefined && /^\d{1,3}$/.test(text) ? Math.min(Number(text), 255) : 0);
