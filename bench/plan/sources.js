/** The publications whose figures are put to the test: who measured, when, on what. Experiments may import this file,
 * for what many of them quote must not stand in each of them. @import { Source } from '../types.js' */

/** @typedef {'nginxExpress' | 'nodeStatic' | 'apacheToNginx' | 'nginxTesting' | 'nginxTuning' | 'nginxDocs'} Known */
/** @type {Record<Known, Source>} */
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
  nginxDocs: {
    title: 'nginx documentation, core functionality',
    author: 'nginx.org',
    year: 2026,
    machine: 'none: what the program promises',
    conditions: {}
  }
}
