/**
 * Publications whose figures are tested: author, year and machine, and their claims that no run tests. Experiments
 * import this file, because many of them cite the same publication.
 * @import { Source } from '../types.js'
 */

/** @satisfies {Record<string, Source>} */
export const sources = {
  nginxExpress: {
    title: 'Nginx + Express, measured',
    author: 'rysk001',
    year: 2020,
    machine: 'Core i5-4590S (4 cores), client on another machine, gigabit link, nginx 1.16.1, Apache 2.4.41, h2load',
    conditions: {
      cores: 4, hosts: 2, link: 'gigabit', engine: 'h2load', software: { nginx: '1.16.1', apache: '2.4.41' }
    }
  },
  nodeStatic: {
    title: 'Is Node.js unfit for static content?',
    author: 'hakobera',
    year: 2012,
    machine: 'AMD Phenom II X6 1090T (6 cores), gigabit link, nginx 1.2.4, Node 0.8.12, ab -c 200, new connections',
    conditions: {
      cores: 6,
      hosts: 2,
      link: 'gigabit',
      fresh: true,
      engine: 'ab',
      software: { nginx: '1.2.4', node: '0.8.12' }
    }
  },
  apacheToNginx: {
    title: 'From Apache to nginx as reverse proxy and cache',
    author: 'hirobanex',
    year: 2013,
    machine: 'VPS (2 cores), link of 100 Mbit/s, nginx 1.4.3, wrk with 500 connections',
    conditions: { cores: 2, link: 'a link of 100 Mbit/s', engine: 'wrk', software: { nginx: '1.4.3' } }
  },
  nginxTesting: {
    title: 'Testing the performance of nginx web servers',
    author: 'NGINX Inc.',
    year: 2017,
    machine: 'two machines with 36 cores (Xeon E5-2699 v3), 2x 40 GbE, nginx 1.9.7, OpenSSL 1.0.1f, wrk 4.0.0',
    conditions: { cores: 36, hosts: 2, link: 'two links of 40 Gbit/s', engine: 'wrk', software: { nginx: '1.9.7' } }
  },
  nginxTuning: {
    title: 'NGINX performance tuning lab',
    author: 'F5',
    year: 2022,
    machine: 'NGINX Plus, Locust on another machine, 1 request per second and user',
    conditions: { hosts: 2, engine: 'locust', software: { nginx: 'Plus' } }
  },
  expressNode22: {
    title: 'Performance degradation in node v22 (expressjs/express #6499)',
    author: 'amgadserry',
    year: 2025,
    machine: 'one process, an app of one route'
  },
  expressPerf: {
    title: 'Maintain public benchmarks (expressjs/perf-wg #21)',
    author: 'Express performance working group',
    year: 2026,
    machine: 'fastify/benchmarks, autocannon'
  },
  nodeHttp: {
    title: 'Node 16 VS Node 22 Performance Question (nodejs/node #56957)',
    author: '759325100',
    year: 2025,
    machine: '8 CPUs, containers, Node 16.19.1 and 22.13.1, ab with 1,000 clients'
  },
  libuvUring: {
    title: 'linux: introduce io_uring support (libuv/libuv #3952)',
    author: 'libuv',
    year: 2023,
    machine: 'file operations'
  },
  nodeUring: {
    title: 'IO_uring caused regression on node 20 and node 21 (nodejs/node #51875)',
    author: 'lucshi',
    year: 2024,
    machine: 'Xeon (Ice Lake), Linux 6.2, Node 21.5, benchmarks of url'
  },
  pm2Cluster: {
    title: 'PM2 cluster mode worsens performance express server (Unitech/pm2 #4241)',
    author: 'ihorzakutynsky',
    year: 2019,
    machine: '4 cores, Node 11.12, PM2 3.4, ab with 100 clients, new connections'
  },
  pm2OrCluster: {
    title: 'pm2 vs nodejs in-build cluster module (Unitech/pm2 #5549)',
    author: 'mai1x9',
    year: 2023,
    machine: 'ab with 1,000 clients'
  },
  cobaltWorkers: {
    title: "Using Node.js's built-in load-balancer in cluster mode (imputnet/cobalt #1480)",
    author: 'firsturdiev',
    year: 2025,
    machine: 'a public API'
  },
  nodeReusePort: {
    title: 'net: add UV_TCP_REUSEPORT for tcp (nodejs/node #55408)',
    author: 'theanarkh',
    year: 2024,
    machine: 'no measurement'
  },
  nginxDocs: {
    title: 'nginx documentation, core functionality',
    author: 'nginx.org',
    year: 2026,
    machine: 'no measurement',
    conditions: {}
  },
  universalDeploy: {
    title: 'srvx 0.11 compresses with Brotli 11: default static serving 20 times slower (universal-deploy #34, #36)',
    author: 'nitedani',
    year: 2026,
    machine: 'srvx 0.11.22 and 0.12.5, a bundle of 126 KB'
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
    machine: 'nginx that ends TLS, ten messages 300 ms apart'
  },
  wsUnixSocket: {
    title: 'About the server performance (websockets/ws #1616)',
    author: 'lpinca',
    year: 2019,
    machine: 'a WebSocket server behind nginx'
  },
  nginxKeepalive: {
    title: 'Upstream keepalive: enabled keepalive module by default (nginx/nginx #1080)',
    author: 'roman-f5',
    year: 2026,
    machine: 'no measurement',
    conditions: { software: { nginx: '1.29.7' } }
  }
}

/** Published claims that no run tests, with the reason. @type {Map<Source, string[]>} */
export const untested = new Map(/** @type {[Source, string[]][]} */ ([
  [sources.nodeStatic, [
    'gzip reduces bodies to 0.37 of their bytes: headers are not counted separately.',
    '4,000 req/s are enough for small and middling sites: this is no ratio between arms.'
  ]],
  [sources.apacheToNginx, [
    'The mean latency is 1.38 s with nginx and 1.08 s with Apache: in a closed loop it restates the throughput.',
    'Both saturate a link of 100 Mbit/s: there is none here.',
    'A prefork child takes 200 to 300 KB: this is no ratio between arms.',
    '"use epoll" has no effect: on Linux nginx uses epoll without it, too.'
  ]],
  [sources.nginxTesting, [
    'Figures of 8 to 36 CPUs, and of HTTPS on 16: the experiments stop at 4 workers.',
    'Growth by the size of the file and with TLS: a ratio of ratios has no interval here.',
    'Hyper-threading, OpenSSL 1.0.1 and prices of 2017: they are not set up here.'
  ]],
  [sources.cobaltWorkers, [
    'Where the kernel distributes connections, some workers get far more than others: `workers` reports the busiest.'
  ]],
  [sources.nginxExpress, ['gzip makes a file 1.25 times smaller: the file is unknown.']],
  [sources.nginxTuning, ['Memory does not jump with three times the users: no figure was published.']]
]))
