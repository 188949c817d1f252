// How long do users wait behind each hop, and how does that grow with the load?

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'load',
  title: 'Latency by load: what users wait behind each hop',
  question:
    'How long do users wait for an Express app, alone and behind nginx, at a quarter, half, three quarters and nine ' +
    'tenths of what the slowest can do?',
  answer: { by: 'latency' },
  arms: {
    express: 'express-json',
    tcp: 'nginx:tcp/express-json',
    keepalive: 'nginx:keepalive/express-json',
    'uds-keepalive': 'nginx:uds-keepalive/express-json'
  },
  protocol: 'rates',
  shares: [0.25, 0.5, 0.75, 0.9],
  // Time for a peak of each arm, then three blocks, each with a start, its warm-up and four windows for each arm.
  budgetSeconds: 600,
  // An open loop: up to this many connections at once.
  load: { engine: 'paced', connections: 400, path: '/' },
  variants: {
    nginx: {
      title: 'What nginx costs below saturation',
      question: 'What does nginx in front of an Express app cost at 30, 60 and 90 % of what both can do?',
      answer: { by: 'latency' },
      arms: { 'the app alone': 'express-json', 'nginx in front': 'nginx:uds-keepalive/express-json' },
      shares: [0.3, 0.6, 0.9],
      budgetSeconds: 300
    }
  }
}
