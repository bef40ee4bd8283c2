import { ApiError } from './client/errors.js';
import type { ManagerEnvironment } from './environment.js';

type Publisher = 'clustertrustbundle_publisher' | 'root_ca_cert_publisher';

/** Runs work and counts it: 200 for success, the server's code for a refusal, else 500. */
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
