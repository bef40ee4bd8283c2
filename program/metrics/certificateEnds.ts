import { Gauge, type Registry } from 'prom-client';
import { readCertificates, type CertificateFile } from '../knownCertificates.js';

/** Shows the end of each certificate. Reads the files with the page. */
export function exposeCertificateEnds(registry: Registry, files: readonly CertificateFile[]): void {
  new Gauge({
    name: 'raftplane_certificate_end_timestamp_seconds',
    help: 'When a certificate ends, in seconds since 1970, by the option that names its file; 0 where the file cannot be read.',
    labelNames: ['option', 'subject', 'fingerprint'],
    registers: [registry],
    async collect() {
      const known = await readCertificates(files);
      this.reset();
      for (const { option, subject, fingerprint, endsAt } of known) this.set({ option, subject, fingerprint }, (endsAt ?? 0) / 1000);
    },
  });
}
