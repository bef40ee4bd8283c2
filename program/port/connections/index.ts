export type { Connection } from './connection.js';
export { connectionsMax } from './connectionLimit.js';
export { OwnCount, SharedCount, type Count } from './counts.js';
export { ExchangeList, type ActiveExchanges } from './exchangeList.js';
export { unbounded, type SendBuffer, type Sender } from './sender.js';
export { PortMemory } from './portMemory.js';
export { ownerOf, Slots } from './slots.js';
