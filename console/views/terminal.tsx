import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/client.js';
import { pathOf } from '../api/resources.js';
import { execProtocol, TerminalSession, type ScreenSize } from '../api/terminal.js';
import { t } from '../english.js';
import { useFrames } from '../parts/hooks.js';
import { Screen } from '../parts/screen.js';
import { Problem } from '../parts/words.js';
import type { TabProps } from './viewProps.js';
import { ContainerChoice, containersOf } from './logs.js';

const scrollback = 2_000;

export function TerminalTab({ client, resource, namespace, name, object }: TabProps): VNode {
  const [container, setContainer] = useState(containersOf(object)[0] ?? '');
  const [command, setCommand] = useState('/bin/sh');
  const [session, setSession] = useState<TerminalSession | null>(null);
  const [live, setLive] = useState(false);
  const [problem, setProblem] = useState('');
  const size = useRef<ScreenSize>({ cols: 80, rows: 24 });
  const draw = useFrames();

  useEffect(() => () => session?.end(), [session]);

  const connect = async (): Promise<void> => {
    const query = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'false', tty: 'true' });
    for (const word of command.split(' ').filter((part) => part !== '')) query.append('command', word);
    setProblem('');
    try {
      const { Terminal } = await import('../parts/emulator.js');
      const socket = client.socket(`${pathOf(resource, namespace, name)}/exec?${query.toString()}`, execProtocol);
      const terminal = new Terminal({ ...size.current, scrollback, allowProposedApi: true });
      const ended = (why: string): void => {
        setProblem(why);
        setLive(false);
      };
      setSession(new TerminalSession(terminal, socket, { changed: draw, ended }));
      setLive(true);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const disconnect = (): void => {
    setSession(null);
    setLive(false);
  };
  return (
    <>
      <form
        class="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          if (live) disconnect();
          else void connect();
        }}
      >
        <ContainerChoice pod={object} value={container} choose={setContainer} />
        <label>
          {t.objects.command}
          <input value={command} spellcheck={false} required onInput={(event) => setCommand(event.currentTarget.value)} />
        </label>
        <button type="submit" class={live ? '' : 'main'}>
          {live ? t.objects.disconnect : t.objects.connect}
        </button>
      </form>
      {problem.trim() === '' ? null : <Problem>{problem}</Problem>}
      <Screen
        session={session}
        redraw={draw}
        sized={(fits) => {
          size.current = fits;
          session?.resize(fits);
          draw();
        }}
      />
      <p class="soft">{t.objects.terminalHint}</p>
    </>
  );
}
