import type { Container, Pod } from '../../api/types/core/v1.js';

/** What the programs of a pod seem to write and answer: scripted by annotations, else made up from what is known of the pod. Pure. */

export interface LogLine {
  /** RFC 3339. */
  readonly at: string;
  readonly text: string;
}

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** One entry of the annotation `fake-node/exec`: what a command line does. `*` stands for any. */
interface ScriptedCommand extends Partial<Ran> {
  readonly command?: string;
}

const prefix = 'fake-node/';
const notFound = 127;
const said = (pod: Pod, name: string): string | undefined => pod.metadata.annotations?.[prefix + name];

/** What a container has written so far: `fake-node/logs` line by line, or that it was started, and how it ended. */
export function logOf(pod: Pod, container: Container): LogLine[] {
  const state = pod.status?.containerStatuses?.find(({ name }) => name === container.name)?.state;
  const startedAt = state?.running?.startedAt ?? state?.terminated?.startedAt;
  if (startedAt === undefined || startedAt === null) return [];
  const written = said(pod, 'logs')?.replace(/\n$/, '').split('\n') ?? [
    `${container.name} of ${container.image ?? 'no image'} has started`,
  ];
  const lines = written.map((text) => ({ at: startedAt, text }));
  const ended = state?.terminated;
  if (ended === undefined || said(pod, 'logs') !== undefined) return lines;
  return [...lines, { at: ended.finishedAt ?? startedAt, text: `${container.name} has ended with code ${String(ended.exitCode)}` }];
}

/** The part of a log that was asked for, as its reader gets it (`PodLogOptions`). */
export function logText(
  lines: readonly LogLine[],
  { tailLines, timestamps }: { readonly tailLines: number | null; readonly timestamps: boolean },
): string {
  const shown = tailLines === null ? lines : lines.slice(Math.max(0, lines.length - tailLines));
  return shown.map(({ at, text }) => `${timestamps ? `${at} ` : ''}${text}\n`).join('');
}

/** What a command does: as scripted, else as one of the few programs that are known here. `stdin` is all of its input. */
export function ran(pod: Pod, container: Container, words: readonly string[], stdin: string): Ran {
  const line = words.join(' ');
  const scripted = scriptOf(pod).find(({ command }) => command === line) ?? scriptOf(pod).find(({ command }) => command === '*');
  if (scripted !== undefined)
    return { stdout: String(scripted.stdout ?? ''), stderr: String(scripted.stderr ?? ''), exitCode: Number(scripted.exitCode ?? 0) };
  return known(words, { pod, container, stdin });
}

function scriptOf(pod: Pod): readonly ScriptedCommand[] {
  try {
    const script: unknown = JSON.parse(said(pod, 'exec') ?? '[]');
    return Array.isArray(script) ? (script as ScriptedCommand[]) : [];
  } catch {
    return [];
  }
}

interface Surroundings {
  readonly pod: Pod;
  readonly container: Container;
  readonly stdin: string;
}

const wrote = (stdout: string): Ran => ({ stdout, stderr: '', exitCode: 0 });
const silent = (exitCode: number): Ran => ({ stdout: '', stderr: '', exitCode });

const environmentOf = ({ pod, container }: Surroundings): string[] => [
  `HOSTNAME=${pod.metadata.name ?? ''}`,
  ...(container.env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [`${name}=${value}`])),
];

const programs: Readonly<Record<string, (words: readonly string[], around: Surroundings) => Ran>> = {
  cat: (_words, { stdin }) => wrote(stdin),
  echo: (words) => wrote(`${words.join(' ')}\n`),
  env: (_words, around) => wrote(`${environmentOf(around).join('\n')}\n`),
  exit: ([code = '0']) => silent(/^\d{1,3}$/.test(code) ? Number(code) & 255 : 2),
  false: () => silent(1),
  hostname: (_words, { pod }) => wrote(`${pod.metadata.name ?? ''}\n`),
  pwd: () => wrote('/\n'),
  sleep: () => silent(0),
  true: () => silent(0),
  whoami: () => wrote('root\n'),
};
const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'ash']);

function known(words: readonly string[], around: Surroundings): Ran {
  const [path = '', ...rest] = words;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (shells.has(name)) return rest[0] === '-c' ? inTurn(rest[1] ?? '', around) : inTurn(around.stdin, around);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return program?.(rest, around) ?? { stdout: '', stderr: `${path}: not found\n`, exitCode: notFound };
}

/** A line of a shell, as far as it is one command after the other; `exit` ends it. */
function inTurn(line: string, around: Surroundings): Ran {
  let [stdout, stderr, exitCode] = ['', '', 0];
  for (const part of line.split(/;|\n|&&/)) {
    const words = part
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
    if (words.length === 0) continue;
    const each = known(words, around);
    [stdout, stderr, exitCode] = [stdout + each.stdout, stderr + each.stderr, each.exitCode];
    if (words[0] === 'exit') break;
  }
  return { stdout, stderr, exitCode };
}

/** What somebody who connects to a port of the pod gets: the annotation `fake-node/port-8080`, or an answer over HTTP that names the pod. */
export function portAnswer(pod: Pod, port: number): string {
  const scripted = said(pod, `port-${port}`);
  if (scripted !== undefined) return scripted;
  const body = `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''} port ${port}\n`;
  return `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}

/** The container of a name: of those that run, that ran before the others, and that were added to look at the pod. */
export const containerNamed = ({ spec }: Pod, name: string): Container | undefined =>
  [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...((spec?.ephemeralContainers ?? []) as readonly Container[])].find(
    (each) => each.name === name,
  );
