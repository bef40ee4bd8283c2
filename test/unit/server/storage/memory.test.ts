import { createMemoryStorage } from '../../../../server/storage/memory.js';
import { selectableFields, storageSuite } from './suite.js';

storageSuite('the memory model', async () => {
  const storage = createMemoryStorage({ selectableFields });
  return { storage, compact: async (version) => storage.compact(version) };
});
