import { useEffect, useRef, useState } from 'preact/hooks';

/** Runs `look` now and again `everyMs` after each end, while the page is seen and the part is there. `look` must not reject. */
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

/** The function that draws this part anew. */
export function useRedraw(): () => void {
  const [, set] = useState(0);
  return useRef(() => set((count) => count + 1)).current;
}

/** Draws anew at most once for each frame, however often it is called. */
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

/** A signal that aborts when one of `again` changes, and when the part goes. */
export function useRun(run: (signal: AbortSignal) => void, again: readonly unknown[]): void {
  useEffect(() => {
    const end = new AbortController();
    run(end.signal);
    return () => end.abort();
  }, again);
}
