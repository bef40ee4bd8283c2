import fs from 'node:fs';
import { Connection } from '../../controllers/client/connection.js';
import { loadKubeconfig } from '../../controllers/client/kubeconfig.js';
import { RestApi } from '../../controllers/client/rest.js';
import { Contents } from './contents.js';
import { OperatorDoor } from './operatorDoor.js';

/** Restores a test's snapshot (`TestCluster.snapshot`) in a running, new cluster. Rejects for an invalid file. */
export async function putBack(file: string, { kubeconfig }: { readonly kubeconfig: string }): Promise<void> {
  const settings = loadKubeconfig(kubeconfig);
  const connection = new Connection(settings);
  const door = new OperatorDoor(settings);
  try {
    const contents = new Contents(new RestApi({ connection, userAgent: 'raftplane' }), door);
    await contents.remember();
    await contents.restore(fs.readFileSync(file));
  } finally {
    connection.close();
    door.close();
  }
}
