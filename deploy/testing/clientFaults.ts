import { isMemberOrder } from './orders.js';
import { patchDate, patchTimers, setClock } from './testClock.js';

/** Loaded before the controller manager and simulated nodes of a test, to use its clock. */

patchDate();
patchTimers();
process.on('message', (message: unknown) => {
  if (!isMemberOrder(message)) return;
  if (message.order === 'clock') setClock(message);
  if (message.turn !== undefined) process.send?.({ done: message.turn });
});
process.channel?.unref();
