/** Makes a step wait until its inputs have been read for the first time, and from then on run without delay. */
export function onceSynced<A extends readonly unknown[]>(
  synced: Promise<void>,
  step: (...args: A) => Promise<void> | void,
): (...args: A) => Promise<void> | void {
  let ready = false;
  synced.then(
    () => {
      ready = true;
    },
    () => undefined,
  );
  return (...args) => (ready ? step(...args) : synced.then(() => step(...args)));
}
