import { readyPath } from './readiness.js';

/** A HAProxy configuration for a replicated balancer. Unlike the built-in balancer, HAProxy refuses connections while no replica is ready. */
export interface HaproxyOptions {
  /** `host:port`; a host of `*` means every address. */
  readonly listen: string;
  readonly backends: readonly { readonly name: string; readonly address: string }[];
  /** Health checks accept any certificate without it. */
  readonly caFile?: string | undefined;
}

export const haproxyConfiguration = (
  options: HaproxyOptions,
): string => `# Spreads connections to the Kubernetes API over its replicas. TLS ends at the replicas, not here.
global
    maxconn 8000

defaults
    mode tcp
    option dontlognull
    timeout connect 1s
    # An API server without a majority needs two seconds to say that it is not ready.
    timeout check 2500ms
    # Watches are silent for minutes; a vanished client is noticed by TCP keepalives instead.
    timeout client 1h
    timeout server 1h
    option clitcpka
    option srvtcpka
    # A replica that refuses the connection is skipped: the next attempt goes to another one.
    retries 3
    option redispatch 1

frontend kubernetes
    bind ${options.listen}
    default_backend apiservers

${backendOf(options)}`;

function backendOf({ backends, caFile }: HaproxyOptions): string {
  const verify = caFile === undefined ? 'verify none' : `verify required ca-file ${quote(caFile)}`;
  const servers = backends.map(({ name, address }) => `    server ${name} ${address}`);
  return `backend apiservers
    balance leastconn
    option httpchk
    # Key services are left out: when one is away, all replicas would be down at once, for reads as well.
    http-check send meth GET uri ${readyPath}
    # A replica that is stopping gets no new connection and keeps those that it has: it answers what was asked, and asks clients to leave.
    # --shutdown-delay-duration=3s of the servers leaves requests so much longer.
    http-check expect rstring ^ok|\\[-\\]shutdown
    http-check expect error-status L7OKC status 200
    # A replica that is not ready for another reason, refuses connections or does not answer is down after the third check, and its sessions are
    # cut, so that their clients connect again and reach one that works. One late answer cuts nothing.
    default-server check check-ssl ${verify} inter 500ms fall 3 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}

/** HAProxy splits words at spaces; strong quotes keep a path whole. */
function quote(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
