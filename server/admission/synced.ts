/** A step that has to wait for what it goes by until that has been read for the first time, and from then on has nothing to wait for. */
export function onceSynced<A extends readonly unknown[]>(
  synced: Promise<void>,
  step: (...args: A) => Promise<void> | void,
): (...args: A) => Promise<void> | void {
  let ready = false;
  synced.then(
    () => {
      ready = true;
    },
    () => undefined, // Told to each request that waits.
  );
  return (...args) => (ready ? step(...args) : synced.then(() => step(...args)));
}
