// What do more processes bring an Express app, and what does nginx in front of them change?

/** @type {import('../types.d.ts').Source} */
const source = {
  title: 'Nginx + Express, measured',
  author: 'rysk001',
  year: 2020,
  machine: 'server Core i5-4590S (4 cores, 16 GB), client Core i5-6500, gigabit link, nginx 1.16.1, h2load with 100 clients'
}

/** @type {import('../types.d.ts').Experiment} */
export default {
  title: 'Express in more processes: node:cluster and PM2',
  question: 'What does running an Express app in two or four processes bring, under node:cluster and under PM2, with and without nginx in front?',
  source,
  arms: {
    one: 'express-json',
    'cluster 2': 'express-json@cluster:2',
    'cluster 4': 'express-json@cluster:4',
    'pm2 2': 'express-json@pm2:2',
    'pm2 4': 'express-json@pm2:4',
    'nginx + cluster 2': 'nginx:uds-keepalive/express-json@cluster:2',
    'nginx + pm2 2': 'nginx:uds-keepalive/express-json@pm2:2'
  },
  contrasts: [
    ['cluster 2', 'one'],
    ['cluster 4', 'cluster 2'],
    ['pm2 2', 'cluster 2'],
    ['pm2 4', 'one'],
    ['nginx + cluster 2', 'cluster 2'],
    ['nginx + pm2 2', 'nginx + cluster 2']
  ],
  protocol: 'slices',
  unit: 'requests',
  cores: 'shared',
  load: { engine: 'wrk', connections: 100, path: '/' },
  claims: [
    {
      id: 'pm2-over-one',
      source,
      statement: 'PM2 with four processes serves 3.19 times as much as one process.',
      published: 46179 / 14477,
      needsCores: 4,
      test: { kind: 'ratio', arm: 'pm2 4', baseline: 'one' }
    },
    {
      id: 'pm2-helps',
      source,
      statement: 'PM2 with four processes serves more than one process.',
      published: '46,179 / 14,477 req/s',
      needsCores: 2,
      test: { kind: 'order', arms: ['pm2 4', 'one'] }
    }
  ]
}
