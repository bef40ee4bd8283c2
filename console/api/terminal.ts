import type { Terminal } from '@xterm/headless';
import { t } from '../english.js';

/** Protocol of exec: the first byte of each message names its stream. */
export const execProtocol = 'v5.channel.k8s.io';
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

export interface ScreenSize {
  readonly cols: number;
  readonly rows: number;
}
export interface SessionListener {
  changed(): void;
  /** Called once. `problem` is text for the user. */
  ended(problem: string): void;
}

/** A program in a container, with its emulated terminal. */
export class TerminalSession {
  readonly #socket: WebSocket;
  readonly #encoder = new TextEncoder();
  #failure = '';

  constructor(
    readonly terminal: Terminal,
    socket: WebSocket,
    listener: SessionListener,
  ) {
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => this.#tellSize();
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (!(data instanceof ArrayBuffer) || data.byteLength === 0) return;
      const bytes = new Uint8Array(data);
      if (bytes[0] === channels.error) this.#failure = failureIn(new TextDecoder().decode(bytes.subarray(1)));
      else if (bytes[0] === channels.stdout || bytes[0] === channels.stderr) terminal.write(bytes.subarray(1), () => listener.changed());
    };
    socket.onclose = ({ reason }) => listener.ended(this.#failure === '' ? `${t.objects.terminalEnded} ${reason}` : this.#failure);
    // Programs query terminals for type and cursor position; answers are sent like keys.
    terminal.onData((answer) => this.type(answer));
  }

  type(text: string): void {
    this.#send(channels.stdin, text);
  }

  paste(text: string): void {
    const lines = text.replace(/\r?\n/g, '\r');
    // After an end mark, the rest of pasted text would count as keys.
    this.type(this.terminal.modes.bracketedPasteMode ? `\x1b[200~${lines.replaceAll('\x1b', '')}\x1b[201~` : lines);
  }

  resize({ cols, rows }: ScreenSize): void {
    if (cols === this.terminal.cols && rows === this.terminal.rows) return;
    this.terminal.resize(cols, rows);
    this.#tellSize();
  }

  end(): void {
    this.#socket.onclose = null;
    this.#socket.close();
    this.terminal.dispose();
  }

  #tellSize(): void {
    this.#send(channels.resize, JSON.stringify({ Width: this.terminal.cols, Height: this.terminal.rows }));
  }

  #send(channel: number, text: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const bytes = this.#encoder.encode(`\0${text}`);
    bytes[0] = channel;
    this.#socket.send(bytes);
  }
}

/** The kubelet ends a command with a Status; a failure has a message. */
function failureIn(text: string): string {
  try {
    const { status, message } = JSON.parse(text) as { readonly status?: string; readonly message?: string };
    return status === 'Success' ? t.objects.terminalEnded : (message ?? text);
  } catch {
    return text;
  }
}
