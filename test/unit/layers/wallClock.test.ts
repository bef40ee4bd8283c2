import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../fixtures/packageRoot.js';

/** Files that may read the wall clock, which can be set, and why. Durations and deadlines use `performance.now()`. */
const readers: Readonly<Record<string, readonly string[]>> = {
  'Times that people and clients read': [
    'server/assembly/platform.ts',
    'program/log/logger.ts',
    'server/admission/manifests/metrics.ts',
    'server/authentication/jwt/metrics.ts',
    'program/metrics/reloads.ts',
    'server/storage/encryption/metrics.ts',
    'server/endpoints/conditional.ts',
    'server/audit/auditor.ts',
    'server/endpoints/reviews/owned.ts',
    'server/endpoints/reviews/selfSubjectReview.ts',
    'server/endpoints/table/table.ts',
    'server/endpoints/pods/binding.ts',
    'server/registry/store.ts',
    'server/registry/bootstrap.ts',
    'server/authentication/published.ts',
    'controllers/client/program.ts',
    'controllers/client/clock.ts',
  ],
  'Validity of certificates and tokens, which is said in wall time': [
    'raft/replica.ts',
    'program/tls/credentials.ts',
    'program/tls/selfSigned.ts',
    'program/authentication/peer.ts',
    'server/authentication/serviceaccount/verifier.ts',
    'server/authentication/serviceaccount/secretTokens.ts',
    'program/authentication/certificate.ts',
    'server/authentication/jwt/authenticator.ts',
    'server/authentication/jwt/distributedClaims.ts',
    'server/authentication/tokens/bootstrapTokens.ts',
    'server/endpoints/subresources/token.ts',
  ],
  'How long ago an object says that it was written, and times in leases, which other machines read': ['server/presence/machineClock.ts'],
  'The age of old log files, by the dates in their names': ['server/audit/rotatingFile.ts'],
  'Deadlines as gRPC wants them; it turns them into timers at once': ['program/grpc/localService.ts', 'server/storage/etcd/client.ts'],
};

function readsWallClock(file: string): boolean {
  return fs
    .readFileSync(path.join(packageRoot, file), 'utf8')
    .split('\n')
    .some((line) => /\bDate\.now\b|\bnew Date\(\)/.test(line.replace(/^\s*(?:\*|\/\/).*$/, '')));
}

describe('layers/wallClock', () => {
  it('is read where it is meant, and for no duration: not at all by consensus, storage and requests', () => {
    const files = ['raft', 'workers', 'program', 'cel', 'server', 'controllers'].flatMap((folder) =>
      fs
        .readdirSync(path.join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => `${folder}/${file.split(path.sep).join('/')}`),
    );
    expect(files.filter(readsWallClock).sort()).to.deep.equal(Object.values(readers).flat().sort());
  });
});
