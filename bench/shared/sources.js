/**
 * Publications whose figures are tested: author, year and machine. Experiments import this file, because many of them
 * cite the same publication.
 * @import { Source } from '../types.js'
 */

/** @satisfies {Record<string, Source>} */
export const sources = {
  nginxExpress: {
    title: 'Nginx + Express, measured',
    author: 'rysk001',
    year: 2020,
    machine:
      'server Core i5-4590S (4 cores, 16 GB), client Core i5-6500, gigabit link, nginx 1.16.1, Apache 2.4.41, h2load',
    conditions: { cores: 4, hosts: 2, link: 'gigabit', software: { nginx: '1.16.1', apache: '2.4.41' } }
  },
  nodeStatic: {
    title: 'Is Node.js unfit for static content?',
    author: 'hakobera',
    year: 2012,
    machine:
      'AMD Phenom II X6 1090T (6 cores, 16 GB), gigabit link (about 15,000 req/s at most), nginx 1.2.4, Node ' +
      '0.8.12, ab with 200 clients',
    conditions: { cores: 6, hosts: 2, link: 'gigabit', software: { nginx: '1.2.4', node: '0.8.12' } }
  },
  apacheToNginx: {
    title: 'From Apache to nginx as reverse proxy and cache',
    author: 'hirobanex',
    year: 2013,
    machine: 'small VPS (2 cores, 1 GB), nginx 1.4.3, wrk with 500 connections',
    conditions: { cores: 2, software: { nginx: '1.4.3' } }
  },
  nginxTesting: {
    title: 'Testing the performance of nginx web servers',
    author: 'NGINX Inc.',
    year: 2017,
    machine:
      'two machines, each 2x Xeon E5-2699 v3 (36 cores, 16 GB), 2x 40 GbE, nginx 1.9.7, OpenSSL 1.0.1f, wrk 4.0.0',
    conditions: { cores: 36, hosts: 2, software: { nginx: '1.9.7' } }
  },
  nginxTuning: {
    title: 'NGINX performance tuning lab',
    author: 'F5',
    year: 2022,
    machine:
      'NGINX Plus on Ubuntu, Locust on a machine of its own with 8 workers, each user 1 request per second for an ' +
      'HTML page',
    conditions: { hosts: 2 }
  },
  expressNode22: {
    title: 'Performance degradation in node v22 (expressjs/express #6499)',
    author: 'amgadserry',
    year: 2025,
    machine: 'not stated; one process, an app of one route'
  },
  expressPerf: {
    title: 'Maintain public benchmarks (expressjs/perf-wg #21)',
    author: 'Express performance working group',
    year: 2026,
    machine: 'that of fastify/benchmarks; autocannon'
  },
  nodeHttp: {
    title: 'Node 16 VS Node 22 Performance Question (nodejs/node #56957)',
    author: '759325100',
    year: 2025,
    machine: '8 CPUs, 16 GB, containers on Ubuntu 16.04, Node 16.19.1 and 22.13.1, ab with 1,000 clients'
  },
  libuvUring: {
    title: 'linux: introduce io_uring support (libuv/libuv #3952)',
    author: 'libuv',
    year: 2023,
    machine: 'not stated; benchmarks of file operations'
  },
  nodeUring: {
    title: 'IO_uring caused regression on node 20 and node 21 (nodejs/node #51875)',
    author: 'lucshi',
    year: 2024,
    machine: 'Xeon (Ice Lake), Linux 6.2, Node 21.5; benchmarks of url, each in processes of its own'
  },
  pm2Cluster: {
    title: 'PM2 cluster mode worsens performance express server (Unitech/pm2 #4241)',
    author: 'ihorzakutynsky',
    year: 2019,
    machine: '4 cores at 2.7 GHz, Node 11.12, PM2 3.4, ab with 100 clients and a connection for each request'
  },
  pm2OrCluster: {
    title: 'pm2 vs nodejs in-build cluster module (Unitech/pm2 #5549)',
    author: 'mai1x9',
    year: 2023,
    machine: 'not stated; ab with 1,000 clients'
  },
  cobaltWorkers: {
    title: "Using Node.js's built-in load-balancer in cluster mode (imputnet/cobalt #1480)",
    author: 'firsturdiev',
    year: 2025,
    machine: 'not stated; a public API'
  },
  nodeReusePort: {
    title: 'net: add UV_TCP_REUSEPORT for tcp (nodejs/node #55408)',
    author: 'theanarkh',
    year: 2024,
    machine: 'none: what the option is for'
  },
  nginxDocs: {
    title: 'nginx documentation, core functionality',
    author: 'nginx.org',
    year: 2026,
    machine: 'none: what the program promises',
    conditions: {}
  },
  universalDeploy: {
    title: 'srvx 0.11 compresses with Brotli 11: default static serving 20 times slower (universal-deploy #34, #36)',
    author: 'nitedani',
    year: 2026,
    machine: 'not stated; Node, srvx 0.11.22 against 0.12.5, a JavaScript bundle of 126 KB'
  },
  keepAlive502: {
    title: 'Intermittent 502 from nginx in front of a Fastify server (fastify/help #943)',
    author: 'oddball',
    year: 2023,
    machine: 'a Kubernetes cluster with ingress-nginx'
  },
  eventsOverTls: {
    title: 'Stop nginx buffering the server-sent events stream (vaadin/flow #25751)',
    author: 'mshabarov',
    year: 2026,
    machine: 'not stated; nginx that ends TLS, ten messages 300 ms apart'
  },
  wsUnixSocket: {
    title: 'About the server performance (websockets/ws #1616)',
    author: 'lpinca',
    year: 2019,
    machine: 'not stated; a WebSocket server behind nginx'
  },
  nginxKeepalive: {
    title: 'Upstream keepalive: enabled keepalive module by default (nginx/nginx #1080)',
    author: 'roman-f5',
    year: 2026,
    machine: 'none: what the change promises',
    conditions: { software: { nginx: '1.29.7' } }
  }
}
