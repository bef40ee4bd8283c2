import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

export interface OperatorConfig {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly kubeconfig: string;
}

export interface Operator {
  start(config: OperatorConfig): Promise<unknown>;
  /** Ends it like a kill: nothing that it still sends arrives. */
  stop(): Promise<unknown>;
  output?(): string;
  /** Its process, if it has one of its own and runs. */
  pid?(): number | undefined;
  onExit?(action: (how: string) => void): void;
}

export interface CommandTerms {
  readonly command: readonly string[];
  /** The variable that names its kubeconfig. */
  readonly variable: string;
  readonly folder: string;
}

const outputCharactersMax = 64 * 1024;

export class CommandOperator implements Operator {
  readonly #terms: CommandTerms;
  #child: ChildProcess | null = null;
  #output = '';
  #exited: (how: string) => void = () => undefined;

  constructor(terms: CommandTerms) {
    this.#terms = terms;
  }

  start({ kubeconfig }: OperatorConfig): Promise<void> {
    const { command, variable, folder } = this.#terms;
    const file = path.join(folder, 'operator.kubeconfig');
    fs.writeFileSync(file, kubeconfig, { mode: 0o600 });
    const [program = '', ...args] = command;
    this.#output = '';
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: { ...process.env, [variable]: file } });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-outputCharactersMax);
      });
    const ended = (how: string): void => {
      if (this.#child === child) this.#exited(how);
    };
    // Its children keep its output open, whose last part precedes `close`.
    child.once('exit', () => killGroup(child));
    child.once('close', (code, signal) => ended(signal === null ? `code ${code}` : signal));
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(new Error(`cannot run ${program}: ${error.message}`, { cause: error })));
    });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child?.pid === undefined || isClosed(child)) return;
    const closed = new Promise((resolve) => child.once('close', resolve));
    killGroup(child);
    await closed;
  }

  output(): string {
    return this.#output;
  }

  pid(): number | undefined {
    return this.#child?.pid;
  }

  onExit(action: (how: string) => void): void {
    this.#exited = action;
  }
}

const isClosed = ({ exitCode, signalCode, stdout, stderr }: ChildProcess): boolean =>
  (exitCode !== null || signalCode !== null) && [stdout, stderr].every((stream) => stream?.closed !== false);

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {}
}
