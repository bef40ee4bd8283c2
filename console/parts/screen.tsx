import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ScreenSize, TerminalSession } from '../api/terminal.js';
import { t } from '../english.js';
import { sequenceOf } from '../model/keys.js';
import { runsOf, type Run } from '../model/screen.js';

const rowsMin = 6;
const colsMin = 20;
const wheelLines = 3;

export interface ScreenProps {
  readonly session: TerminalSession | null;
  /** Called with the fitting size, now and whenever it changes. */
  readonly sized: (size: ScreenSize) => void;
  readonly redraw: () => void;
}

interface Ref<T> {
  readonly current: T | null;
}

/** Reports rows and columns that fit into `place`, measured by sample text. */
function useFittingSize(place: Ref<HTMLElement>, probe: Ref<HTMLElement>, sized: ScreenProps['sized']): void {
  const latest = useRef(sized);
  latest.current = sized;

  useEffect(() => {
    const [element, cell] = [place.current, probe.current];
    if (element === null || cell === null) return undefined;
    const measure = (): void => {
      const { width, height } = cell.getBoundingClientRect();
      const style = getComputedStyle(element);
      const inner = (size: number, before: string, after: string): number => size - parseFloat(before) - parseFloat(after);
      latest.current({
        cols: Math.max(colsMin, Math.floor(inner(element.clientWidth, style.paddingLeft, style.paddingRight) / (width / probeText.length))),
        rows: Math.max(rowsMin, Math.floor(inner(element.clientHeight, style.paddingTop, style.paddingBottom) / height)),
      });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
}

/** The screen of a terminal. An invisible field takes text, so that every input method works; other keys go by name. */
export function Screen({ session, sized, redraw }: ScreenProps): VNode {
  const place = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const keys = useRef<HTMLTextAreaElement>(null);
  useFittingSize(place, probe, sized);
  useEffect(() => {
    if (session !== null) keys.current?.focus();
  }, [session]);

  return (
    <div
      ref={place}
      class="screen"
      onMouseUp={() => {
        if (getSelection()?.isCollapsed !== false) keys.current?.focus();
      }}
      onWheel={(event) => {
        if (session === null || session.terminal.buffer.active.type !== 'normal') return;
        event.preventDefault();
        session.terminal.scrollLines(Math.sign(event.deltaY) * wheelLines);
        redraw();
      }}
    >
      <span ref={probe} class="probe" aria-hidden="true">
        {probeText}
      </span>
      <KeyField keys={keys} session={session} />
      <div role="log" aria-label={t.objects.terminalText} aria-live="polite">
        {session === null ? null : linesOf(session.terminal).map((runs, index) => <ScreenLine key={index} runs={runs} />)}
      </div>
    </div>
  );
}

interface KeyFieldProps {
  readonly keys: { current: HTMLTextAreaElement | null };
  readonly session: TerminalSession | null;
}

/** The invisible field for keys, pasted text, and input methods. */
function KeyField({ keys, session }: KeyFieldProps): VNode {
  const pressed = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (session === null || event.isComposing) return;
    if (event.ctrlKey && event.key.toLowerCase() === 'c' && getSelection()?.isCollapsed === false) return;
    const sequence = sequenceOf(event, session.terminal.modes.applicationCursorKeysMode);
    if (sequence === null) return;
    event.preventDefault();
    session.terminal.scrollToBottom();
    session.type(sequence);
  };
  const written = (): void => {
    const text = keys.current?.value ?? '';
    if (keys.current) keys.current.value = '';
    if (text !== '') session?.type(text);
  };
  return (
    <textarea
      ref={keys}
      class="keys"
      aria-label={t.objects.terminalKeys}
      disabled={session === null}
      spellcheck={false}
      autocomplete="off"
      autocapitalize="off"
      onKeyDown={pressed}
      onInput={(event) => {
        if (!event.isComposing) written();
      }}
      onCompositionEnd={written}
      onPaste={(event) => {
        event.preventDefault();
        session?.paste(event.clipboardData?.getData('text/plain') ?? '');
      }}
    />
  );
}

const probeText = 'MMMMMMMMMMMMMMMMMMMM';

function linesOf({ buffer: { active }, rows }: TerminalSession['terminal']): readonly (readonly Run[])[] {
  const cursorRow = active.baseY + active.cursorY - active.viewportY;
  return Array.from({ length: rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row);
    return line === undefined ? [] : runsOf(line, row === cursorRow ? active.cursorX : null);
  });
}

const ScreenLine = ({ runs }: { readonly runs: readonly Run[] }): VNode => (
  <div>
    {runs.map(({ text, classes, foreground, background }) => (
      <span
        class={classes}
        style={{ ...(foreground === null ? {} : { color: foreground }), ...(background === null ? {} : { background }) }}
      >
        {text}
      </span>
    ))}
  </div>
);
