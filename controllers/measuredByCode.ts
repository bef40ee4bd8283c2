import { ApiError } from './client/errors.js';
import type { ManagerEnvironment } from './environment.js';

/** Who counts how often work was done, and how long it took, by the code of the answer that ended it. */
type Publisher = 'clustertrustbundle_publisher' | 'root_ca_cert_publisher';

/** Does work and counts it: 200 when it went well, the server's code when it was refused, 500 for any other failure. */
export async function measuredByCode(
  { clock, measures }: Pick<ManagerEnvironment, 'clock' | 'measures'>,
  name: Publisher,
  work: () => Promise<void>,
): Promise<void> {
  const startedAt = clock.elapsed();
  let code = '200';
  try {
    await work();
  } catch (error) {
    code = error instanceof ApiError ? String(error.code) : '500';
    throw error;
  } finally {
    measures.count(`${name}_sync_total`, { code });
    measures.observe(`${name}_sync_duration_seconds`, { code }, (clock.elapsed() - startedAt) / 1000);
  }
}
