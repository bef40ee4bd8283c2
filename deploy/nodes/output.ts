import type { Container, Pod } from '../../api/types/core/v1.js';
import { ContainerFiles } from './containerFiles.js';
import { readTar, writeTar } from './tar.js';

/** The simulated output of a pod's programs: scripted by annotations, else derived from the pod and the files copied to it. */

export interface LogLine {
  /** RFC 3339. */
  readonly at: string;
  readonly text: string;
}

export interface Ran {
  readonly stdout: string | Uint8Array;
  readonly stderr: string;
  readonly exitCode: number;
}

/** An entry of the annotation `fake-node/exec`: a command line's result. `*` matches any. */
interface ScriptedCommand extends Partial<Ran> {
  readonly command?: string;
}

const prefix = 'fake-node/';
const notFound = 127;
const said = (pod: Pod, name: string): string | undefined => pod.metadata.annotations?.[prefix + name];

/** Returns a container's log so far: `fake-node/logs` line by line, or its start, and its end. */
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

/** Returns the requested part of a log (`PodLogOptions`). */
export function logText(
  lines: readonly LogLine[],
  { tailLines, timestamps }: { readonly tailLines: number | null; readonly timestamps: boolean },
): string {
  const shown = tailLines === null ? lines : lines.slice(Math.max(0, lines.length - tailLines));
  return shown.map(({ at, text }) => `${timestamps ? `${at} ` : ''}${text}\n`).join('');
}

/** Returns the result of a command: the scripted one, else that of one of the few known programs. */
export function ran(words: readonly string[], { pod, container, stdin = '', files = new ContainerFiles() }: Place): Ran {
  const line = words.join(' ');
  const scripted = scriptOf(pod).find(({ command }) => command === line) ?? scriptOf(pod).find(({ command }) => command === '*');
  if (scripted !== undefined)
    return { stdout: String(scripted.stdout ?? ''), stderr: String(scripted.stderr ?? ''), exitCode: Number(scripted.exitCode ?? 0) };
  return known(words, { pod, container, stdin: bytesOf(stdin), files });
}

function scriptOf(pod: Pod): readonly ScriptedCommand[] {
  try {
    const script: unknown = JSON.parse(said(pod, 'exec') ?? '[]');
    return Array.isArray(script) ? (script as ScriptedCommand[]) : [];
  } catch {
    return [];
  }
}

interface Place {
  readonly pod: Pod;
  readonly container: Container;
  readonly stdin?: string | Uint8Array;
  /** The command may change them. Default: no files yet. */
  readonly files?: ContainerFiles;
}

interface ProcessEnvironment extends Required<Place> {
  readonly stdin: Buffer;
}

const bytesOf = (data: string | Uint8Array): Buffer => (typeof data === 'string' ? Buffer.from(data) : Buffer.from(data));
const wrote = (stdout: string | Uint8Array): Ran => ({ stdout, stderr: '', exitCode: 0 });
const failed = (stderr: string, exitCode: number): Ran => ({ stdout: '', stderr: `${stderr}\n`, exitCode });
const missing = 'No such file or directory';
const silent = (exitCode: number): Ran => ({ stdout: '', stderr: '', exitCode });

const environmentOf = ({ pod, container }: ProcessEnvironment): string[] => [
  `HOSTNAME=${pod.metadata.name ?? ''}`,
  ...(container.env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [`${name}=${value}`])),
];

const programs: Readonly<Record<string, (words: readonly string[], around: ProcessEnvironment) => Ran>> = {
  cat: (paths, { stdin, files }) => {
    const absent = paths.find((path) => files.file(path) === null);
    if (absent !== undefined) return failed(`cat: ${absent}: ${missing}`, 1);
    return wrote(paths.length === 0 ? stdin : Buffer.concat(paths.map((path) => files.file(path)!)));
  },
  echo: (words) => wrote(`${words.join(' ')}\n`),
  env: (_words, around) => wrote(`${environmentOf(around).join('\n')}\n`),
  exit: ([code = '0']) => silent(/^\d{1,3}$/.test(code) ? Number(code) & 255 : 2),
  false: () => silent(1),
  ls: ([path = '/'], { files }) => {
    if (files.isFolder(path))
      return wrote(
        files
          .list(path)
          .map((name) => `${name}\n`)
          .join(''),
      );
    return files.file(path) === null ? failed(`ls: ${path}: ${missing}`, 1) : wrote(`${path}\n`);
  },
  mkdir: (words, { files }) => {
    for (const path of words.filter((word) => !word.startsWith('-'))) files.makeFolder(path);
    return silent(0);
  },
  hostname: (_words, { pod }) => wrote(`${pod.metadata.name ?? ''}\n`),
  pwd: () => wrote('/\n'),
  sleep: () => silent(0),
  tar,
  test: ([option = '', path = ''], { files }) => {
    const [isFolder, isFile] = [files.isFolder(path), files.file(path) !== null];
    const holds = { '-d': isFolder, '-f': isFile, '-e': isFolder || isFile }[option] ?? false;
    return silent(holds ? 0 : 1);
  },
  true: () => silent(0),
  whoami: () => wrote('root\n'),
};
/** Implements `tar` as `kubectl cp` uses it: `tar -xmf - -C FOLDER` reads its input, `tar cf - PATH` writes its output. */
function tar(words: readonly string[], { stdin, files }: ProcessEnvironment): Ran {
  const action = words.find((word) => /^-?[xc][a-z]*f$/.test(word))?.replace('-', '')[0];
  const after = words.slice(words.indexOf('-') + 1);
  if (action === undefined || !words.includes('-')) return failed('tar: only "xf -" and "cf -" are known here', 64);
  if (action === 'c') {
    const absent = after.find((path) => !files.isFolder(path) && files.file(path) === null);
    if (absent !== undefined) return failed(`tar: ${absent}: Cannot stat: ${missing}`, 2);
    return wrote(writeTar(after.flatMap((path) => files.pack(path))));
  }
  const folder = after.includes('-C') ? (after[after.indexOf('-C') + 1] ?? '/') : '/';
  if (!files.isFolder(folder)) return failed(`tar: ${folder}: Cannot open: ${missing}`, 2);
  try {
    files.unpack(folder, readTar(stdin));
    return silent(0);
  } catch (error) {
    return failed(`tar: ${(error as Error).message}`, 2);
  }
}
const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'ash']);

function known(words: readonly string[], around: ProcessEnvironment): Ran {
  const [path = '', ...rest] = words;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (shells.has(name)) return rest[0] === '-c' ? inTurn(rest[1] ?? '', around) : inTurn(around.stdin.toString(), around);
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return program?.(rest, around) ?? { stdout: '', stderr: `${path}: not found\n`, exitCode: notFound };
}

/** Runs a shell line that is a sequence of commands; `exit` ends it. */
function inTurn(line: string, around: ProcessEnvironment): Ran {
  const written: Buffer[] = [];
  let [stderr, exitCode] = ['', 0];
  for (const part of line.split(/;|\n|&&/)) {
    const words = part
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
    if (words.length === 0) continue;
    const each = known(words, around);
    written.push(bytesOf(each.stdout));
    [stderr, exitCode] = [stderr + each.stderr, each.exitCode];
    if (words[0] === 'exit') break;
  }
  return { stdout: Buffer.concat(written), stderr, exitCode };
}

/** Returns the response of a pod's port: the annotation `fake-node/port-8080`, or an HTTP response with the pod's name. */
export function portAnswer(pod: Pod, port: number): string {
  const scripted = said(pod, `port-${port}`);
  if (scripted !== undefined) return scripted;
  const body = `${pod.metadata.namespace ?? ''}/${pod.metadata.name ?? ''} port ${port}\n`;
  return `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}

/** Init and ephemeral containers are included. */
export const containerNamed = ({ spec }: Pod, name: string): Container | undefined =>
  [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...((spec?.ephemeralContainers ?? []) as readonly Container[])].find(
    (each) => each.name === name,
  );
