import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { pathOf } from '../api/resources.js';
import { t } from '../english.js';
import { plainText } from '../model/terminalText.js';
import { useFrames } from '../parts/hooks.js';
import { Problem } from '../parts/words.js';
import type { TabProps } from './detail.js';
import { ContainerChoice, containersOf } from './logs.js';

const protocol = 'v5.channel.k8s.io';
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3 } as const;
const charactersMax = 200_000;

/** A command in a container: what it writes, and a line to write to it. */
export function TerminalTab({ client, resource, namespace, name, object }: TabProps): VNode {
  const [container, setContainer] = useState(containersOf(object)[0] ?? '');
  const [command, setCommand] = useState('/bin/sh');
  const [socket, setSocket] = useState<WebSocket | null>(null);
  const [problem, setProblem] = useState('');
  const text = useRef('');
  const input = useRef<HTMLInputElement>(null);
  const draw = useFrames();

  useEffect(() => () => socket?.close(), [socket]);

  const connect = (): void => {
    const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true', tty: 'true' });
    for (const word of command.split(' ').filter((part) => part !== '')) query.append('command', word);
    text.current = '';
    setProblem('');
    const opened = client.socket(`${pathOf(resource, namespace, name)}/exec?${query.toString()}`, protocol);
    opened.binaryType = 'arraybuffer';
    const decoder = new TextDecoder();
    opened.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (!(data instanceof ArrayBuffer) || data.byteLength === 0) return;
      const bytes = new Uint8Array(data);
      const said = decoder.decode(bytes.subarray(1), { stream: true });
      if (bytes[0] === channels.error) setProblem(failureIn(said));
      else text.current = plainText(text.current + said).slice(-charactersMax);
      draw();
    };
    opened.onclose = ({ reason }) => {
      setProblem((before) => (before === '' ? `${t.objects.terminalEnded} ${reason}` : before));
      setSocket(null);
    };
    setSocket(opened);
  };
  const send = (line: string): void => {
    const bytes = new TextEncoder().encode(`\0${line}`);
    if (socket?.readyState === WebSocket.OPEN) socket.send(bytes);
  };
  return (
    <>
      <form
        class="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          if (socket === null) connect();
          else socket.close();
        }}
      >
        <ContainerChoice pod={object} value={container} choose={setContainer} />
        <label>
          {t.objects.command}
          <input value={command} spellcheck={false} required onInput={(event) => setCommand(event.currentTarget.value)} />
        </label>
        <button type="submit" class={socket === null ? 'main' : ''}>
          {socket === null ? t.objects.connect : t.objects.disconnect}
        </button>
      </form>
      {problem.trim() === '' ? null : <Problem>{problem}</Problem>}
      <pre class="log" tabIndex={0} role="log" aria-label={t.objects.terminalText}>
        {text.current}
      </pre>
      <form
        class="toolbar prompt"
        onSubmit={(event) => {
          event.preventDefault();
          send(`${input.current?.value ?? ''}\n`);
          if (input.current) input.current.value = '';
        }}
      >
        <input ref={input} aria-label={t.objects.input} disabled={socket === null} spellcheck={false} autocomplete="off" />
        <button type="submit" disabled={socket === null}>
          {t.objects.send}
        </button>
      </form>
    </>
  );
}

/** The agent ends a command with a Status; a failure has words. */
function failureIn(text: string): string {
  try {
    const { status, message } = JSON.parse(text) as { readonly status?: string; readonly message?: string };
    return status === 'Success' ? t.objects.terminalEnded : (message ?? text);
  } catch {
    return text;
  }
}
