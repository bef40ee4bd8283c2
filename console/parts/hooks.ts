import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Runs `look` now and `everyMs` after each end, while the page is visible and the component exists. `look` must not reject. */
export function useLook(look: (signal: AbortSignal) => Promise<void>, everyMs: number, again: readonly unknown[] = []): void {
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => {
    const end = new AbortController();
    let timer = 0;
    const turn = async (): Promise<void> => {
      if (!document.hidden) await latest.current(end.signal);
      if (!end.signal.aborted) timer = window.setTimeout(() => void turn(), everyMs);
    };
    void turn();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, again);
}

/** Returns an element's width in pixels; 0 before it is first drawn. */
export function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = of.current;
    if (element === null) return undefined;
    setWidth(element.clientWidth);
    const resized = new ResizeObserver(() => setWidth(element.clientWidth));
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  return width;
}

export function useRedraw(): () => void {
  const [, set] = useState(0);
  return useRef(() => set((count) => count + 1)).current;
}

/** Redraws at most once for each frame, however often it is called. */
export function useFrames(): () => void {
  const redraw = useRedraw();
  const waiting = useRef(0);
  useEffect(() => () => cancelAnimationFrame(waiting.current), []);
  return useRef(() => {
    if (waiting.current !== 0) return;
    waiting.current = requestAnimationFrame(() => {
      waiting.current = 0;
      redraw();
    });
  }).current;
}

/** Provides a signal that aborts on a change of `again`, and at the component's removal. */
export function useRun(run: (signal: AbortSignal) => void, again: readonly unknown[]): void {
  useEffect(() => {
    const end = new AbortController();
    run(end.signal);
    return () => end.abort();
  }, again);
}

/** Shows a dialog as modal while it exists. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement | null>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Closing returns the focus.
    return () => element?.close();
  }, []);
  return dialog;
}

/** Passes all keys of the page to the latest `pressed`: effects run after the frame is drawn, and a key may come before. */
export function useKeys(pressed: (event: KeyboardEvent) => void): void {
  const latest = useRef(pressed);
  latest.current = pressed;
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => latest.current(event);
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}
