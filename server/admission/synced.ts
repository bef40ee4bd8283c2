/** Makes a step wait for the first reading of its inputs; later calls have no delay. */
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
