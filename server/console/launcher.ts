import net from 'node:net';
import { isObject } from '../../api/json/json.js';
import { badRequest, unavailable } from '../../api/status.js';

const answerBytesMax = 1 << 20;
const answerTimeoutMs = 20_000;
const commands: ReadonlySet<string> = new Set(['status', 'kill', 'pause', 'resume', 'restart', 'partition', 'heal', 'managers', 'redeem']);

export interface LauncherQuestion {
  readonly command: string;
  readonly target?: string;
}

/** Parses a question. Throws 400 for actions without a button on the page, since launchers can do more. */
export function questionIn(body: unknown): LauncherQuestion {
  const { command, target } = isObject(body) ? body : {};
  if (typeof command !== 'string' || command === 'redeem' || !commands.has(command)) throw badRequest('command must be one of the page');
  if (target !== undefined && typeof target !== 'string') throw badRequest('target must be a text');
  return { command, ...(target === undefined ? {} : { target }) };
}

/** Asks a local cluster's launcher on its socket, which only its owner can open. Rejects with a StatusError. */
export async function askLauncher(socket: string, question: LauncherQuestion): Promise<unknown> {
  const connection = net.connect(socket);
  const timer = setTimeout(() => connection.destroy(new Error('it does not answer')), answerTimeoutMs);
  try {
    connection.write(`${JSON.stringify(question)}\n`);
    let text = '';
    for await (const chunk of connection.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (text.length > answerBytesMax) throw new Error('it says too much');
    }
    return resultIn(text);
  } catch (cause) {
    if (cause instanceof Refusal) throw badRequest(cause.message, cause);
    throw Object.assign(unavailable(`the launcher of this cluster cannot be asked: ${(cause as Error).message}`), { cause });
  } finally {
    clearTimeout(timer);
    connection.destroy();
  }
}

class Refusal extends Error {}

function resultIn(text: string): unknown {
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const said: unknown = JSON.parse(line);
    if (!isObject(said)) continue;
    if (typeof said['error'] === 'string') throw new Refusal(said['error']);
    if ('result' in said) return said['result'];
  }
  throw new Error('it ended before it answered');
}
