/** An nginx configuration for a replicated balancer. When a replica refuses the connection, nginx tries another; unlike HAProxy it does not check readiness. */
export interface NginxOptions {
  /** An address of this machine, or a port for all of them. */
  readonly listen: string;
  /** `host:port` of each replica. */
  readonly backends: readonly string[];
}

export const nginxConfiguration = ({
  listen,
  backends,
}: NginxOptions): string => `# Spreads connections to the Kubernetes API over its replicas. TLS ends at the replicas, not here.
# Debian and Ubuntu have the stream module in a package of its own: libnginx-mod-stream.
include /etc/nginx/modules-enabled/*.conf;

events {
    worker_connections 16000;
}

stream {
    upstream apiservers {
        least_conn;
        # A replica that refused a connection is left out for a second.
${backends.map((address) => `        server ${address} max_fails=1 fail_timeout=1s;`).join('\n')}
    }
    server {
        listen ${listen} so_keepalive=on;
        proxy_pass apiservers;
        # A replica that refuses the connection is skipped: the next one gets it.
        proxy_next_upstream on;
        proxy_connect_timeout 1s;
        # Watches are silent for minutes; a vanished client is noticed by TCP keepalives instead.
        proxy_timeout 1h;
        proxy_socket_keepalive on;
    }
}
`;
