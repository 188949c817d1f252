/**
 * Stored runs with a contrast whose ratio drifts within its starts. They were made before the warm-up lasted until the
 * steady state. The list may only shrink, and is empty when all figures are measured anew.
 * @type {Record<string, string[]>}
 */
export const driftingRuns = {
  '2026-11-23T17-45-46Z-throughput': ['10 MB / 1 MB', '1 MB, no sendfile / 1 MB'],
  '2026-11-23T23-30-03Z-runtimes-static': [
    'express.static, Node 24 / express.static, Node 22',
    'express.static, Deno / express.static, Node 26',
    'serve-static, Node 24 / serve-static, Node 22',
    'serve-static, Bun / serve-static, Node 26'
  ],
  '2026-11-24T00-05-02Z-runtimes': ['Node 20 / Node 18', 'Node 22 / Node 20', 'Deno / Node 26'],
  '2026-11-26T16-52-04Z-uds': ['tcp / direct'],
  '2026-11-26T17-01-04Z-proxies-ingress': ['nginx keepalive / direct', 'envoy uds-keepalive / nginx uds-keepalive'],
  '2026-11-26T17-17-15Z-directives': ['1 MB, no sendfile / 1 MB'],
  '2026-11-26T17-23-02Z-uds': ['keepalive / tcp', 'uds / tcp', 'uds / keepalive', 'tcp / direct', 'uds / direct'],
  '2026-11-26T17-36-08Z-uds': ['tcp / direct', 'keepalive / direct', 'uds / direct'],
  '2026-11-26T20-11-47Z-static-html': [
    'node-static / nginx',
    'connect / nginx',
    'express / nginx',
    'sirv / nginx',
    'fastify / nginx',
    'st x4 / nginx'
  ],
  '2026-11-26T20-24-31Z-static-gzip': ['st x4 / nginx x4'],
  '2026-11-26T20-38-13Z-static-sizes': ['sirv 1 KB / nginx 1 KB'],
  '2026-11-26T23-24-26Z-workers': [
    'cluster / one',
    'SCHED_NONE / one',
    'PM2 / one',
    'reusePort / one',
    'nginx / cluster'
  ],
  '2026-11-26T23-41-07Z-pm2': ['cluster 2 / one'],
  '2026-11-26T23-46-09Z-nginx-defaults': ['since 1.29.7 / before 1.29.7'],
  '2026-11-27T01-21-29Z-nginx-defaults-releases': ['sid / bookworm']
}
