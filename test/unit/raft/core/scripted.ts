import type { Message } from '../../../../raft/core/messages.js';
import { memberId, type Entry, type MemberId } from '../../../../raft/types.js';
import { bytes, TestCluster, type TestServer } from './harness.js';

/** A command of a script with its output. */
export interface Step {
  readonly command: string;
  readonly output: string;
}

/** A script has lines `> command`, each followed by its output; lines with `#` are titles. */
export function stepsIn(script: string): { readonly title: string; readonly steps: readonly Step[] } {
  const [head = '', ...parts] = script.split(/^> /m);
  const steps = parts.map((part) => {
    const [command = '', ...output] = part.trimEnd().split('\n');
    return { command, output: output.join('\n') };
  });
  return { title: head.replace(/^# ?/gm, '').trim(), steps };
}

export const scriptText = (title: string, steps: readonly Step[]): string =>
  `# ${title}\n\n${steps.map(({ command, output }) => `> ${command}\n${output === '' ? '' : `${output}\n`}`).join('\n')}`;

const placeOf = ({ index, term }: Entry): string => `${index}/${term}`;

function bodyText(message: Message): string {
  switch (message.type) {
    case 'preVote':
    case 'vote':
      return `last ${message.lastIndex}/${message.lastTerm}${message.transfer ? ' for a transfer' : ''}`;
    case 'preVoteReply':
    case 'voteReply':
      return message.granted ? 'granted' : 'refused';
    case 'append':
      return `after ${message.previousIndex}/${message.previousTerm} [${message.entries.map(placeOf).join(' ')}] commit ${message.commit}`;
    case 'appendReply': {
      const { result } = message;
      return result.accepted ? `match ${result.match}` : `rejects ${result.rejected}, hint ${result.hintIndex}/${result.hintTerm}`;
    }
    case 'installSnapshot':
      return `up to ${message.snapshot.index}/${message.snapshot.term}`;
    case 'readIndexReply':
      return `index ${message.index ?? 'unknown'}`;
    case 'readIndex':
    case 'timeoutNow':
      return '';
  }
}

const messageText = (message: Message): string =>
  `${message.from} -> ${message.to}  term ${message.term}  ${message.type} ${bodyText(message)}`.trimEnd();

function serverText({ id, core, disk, applied, reads, installed }: TestServer): string {
  return [
    `${id}  ${core.role} of term ${core.term}, leader ${core.leader ?? 'unknown'}`,
    `log [${[...(disk.base.index > 0 ? [`..${disk.base.index}/${disk.base.term}`] : []), ...disk.stored.map(placeOf)].join(' ')}] commit ${core.commit} applied ${applied.at(-1)?.index ?? 0}`,
    ...(reads.length > 0 ? [`reads ${reads.map((read) => `at ${read.index}`).join(', ')}`] : []),
    ...(installed.length > 0 ? [`installed ${installed.map(({ index }) => index).join(', ')}`] : []),
  ].join('  ');
}

/** A cluster that runs a script. Messages wait until they are delivered or lost. */
export class ScriptedCluster {
  readonly #cluster: TestCluster;
  readonly #commands: Readonly<Record<string, (...words: string[]) => string[]>> = {
    // Messages sent meanwhile are lost.
    tick: (id, times) => {
      for (const server of this.#chosen(id)) server.tick(Number(times));
      return [];
    },
    deliver: () => this.#deliver(() => true),
    // Delivers everything that the script is not about.
    settle: () => {
      this.#cluster.settle();
      return [];
    },
    // Messages to and from others are lost.
    among: (...ids) => this.#deliver(({ from, to }) => ids.includes(from) && ids.includes(to)),
    propose: (id, ...texts) => [JSON.stringify(this.#at(id).core.propose(texts.map(bytes)))],
    read: (id, number) => {
      this.#at(id).core.read(Number(number));
      return [];
    },
    transfer: (id, to) => {
      this.#at(id).core.transferLeadership(memberId(to ?? ''));
      return [];
    },
    // Replaces the start of a log by a snapshot.
    compact: (id, index) => {
      this.#at(id).disk.cut(Number(index));
      return [];
    },
    show: (id) => this.#chosen(id).map(serverText),
  };

  constructor(ids: readonly string[]) {
    this.#cluster = new TestCluster(ids.map(memberId));
  }

  run(command: string): string {
    const [name = '', ...words] = command.split(' ');
    const act = this.#commands[name];
    if (act === undefined) throw new Error(`no command ${name}`);
    return act(...words).join('\n');
  }

  #at(id = ''): TestServer {
    return this.#cluster.at(id as MemberId);
  }

  #chosen(id = 'all'): readonly TestServer[] {
    return id === 'all' ? [...this.#cluster.servers.values()] : [this.#at(id)];
  }

  #deliver(arrives: (message: Message) => boolean): string[] {
    const lines: string[] = [];
    this.#cluster.settle((message) => {
      const lost = !arrives(message);
      lines.push(`${messageText(message)}${lost ? '  (lost)' : ''}`);
      return lost;
    });
    return lines;
  }
}
