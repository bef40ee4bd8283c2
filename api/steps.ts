/**
 * Work in steps: it yields wherever it may stop for a while, and returns what came of it. It decides and computes, and knows nothing of clocks and promises:
 * when it
 * stops, and for how long, is `Turns`' to say (`workers/turns`). A step takes well below a millisecond; loops over what is small do not yield at all, which
 * costs nothing.
 */
export type Steps<T> = Generator<void, T, void>;

/** All of the work, in one go: for what is known to be small, and where nothing can be waited for. */
export function inOneGo<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
