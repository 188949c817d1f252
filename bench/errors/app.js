/** Errors of your own app: its command, its requests, its address, or the experiment about it. */
import { itsWords } from './words.js'

/** @import { ErrorEntry } from './words.js' */

/** @typedef {{ name: string, output?: string | null }} Command */

/** @satisfies {Record<string, ErrorEntry>} */
export const app = {
  'app-ended': {
    exit: 1,
    what: (/** @type {Command} */ d) => `${d.name} exited before it answered, without an error.`,
    remedy: (/** @type {Command} */ d) => `${itsWords(d)}; the command must start a server and stay, as npm start does.`
  },
  'app-forked': {
    exit: 1,
    what: (/** @type {Command} */ d) =>
      `${d.name} went into the background: it exited, and what it started is still running.`,
    remedy: () =>
      'Keep it in the foreground (no daemon mode, no "&" at its end): what left its group cannot be measured.'
  },
  'app-elsewhere': {
    exit: 1,
    what: (/** @type {Command & { where: string, wanted: string }} */ d) =>
      `${d.name} listens on ${d.where}, not on ${d.wanted}.`,
    remedy: (/** @type {{ sign: string }} */ d) =>
      `Let it listen on ${d.sign}, as in --app 'node app.js --port $PORT', or name its port, as in --listen 3000.`
  },
  'answers-differ': {
    exit: 1,
    what: (/** @type {{ first: string, second: string, how: string }} */ d) =>
      `${d.first} and ${d.second} answer the same request differently: ${d.how}.`,
    remedy: () =>
      'If they differ by nature (a date, a nonce), cut that out with --ignore-body \'regex\', or compare less with ' +
      '--compare status,length.'
  },
  'bad-header': {
    exit: 2,
    // The message omits the value, which may be a secret.
    what: (/** @type {{ name: string, why: string }} */ d) => `${JSON.stringify(d.name)} is not a header: ${d.why}.`,
    remedy: () => 'Write it as in --header \'Accept: application/json\', once for each.'
  },
  'secret-missing': {
    exit: 2,
    what: (/** @type {{ run: string, what: string }} */ d) =>
      `The run ${d.run} cannot be resumed without ${d.what}, which was not stored.`,
    remedy: (/** @type {{ option: string }} */ d) => `Give the same again with ${d.option}.`
  },
  'url-host': {
    exit: 2,
    what: (/** @type {{ host: string }} */ d) =>
      `${d.host} is another machine, and hopbench loads no other machine by default.`,
    remedy: (/** @type {{ host: string }} */ d) => `If you may load it, add --allow-host ${d.host}.`
  },
  'url-unreachable': {
    exit: 1,
    what: (/** @type {{ url: string, why: string }} */ d) => `${d.url} does not answer: ${d.why}.`,
    remedy: () => 'Start it first, or let hopbench start it, with --app.'
  },
  'url-certificate': {
    exit: 1,
    what: (/** @type {{ url: string, why: string }} */ d) =>
      `The certificate of ${d.url} is not trusted here: ${d.why}.`,
    remedy: () => 'Name the certificate of its authority in NODE_EXTRA_CA_CERTS, or measure it over http.'
  },
  'url-redirects': {
    exit: 1,
    what: (/** @type {{ url: string, status: number, location: string }} */ d) =>
      `${d.url} redirects to ${d.location} (status ${d.status}), and redirects are not followed.`,
    remedy: () => 'Name the address that answers.'
  },
  'bad-experiment': {
    exit: 2,
    /** @param {{ file: string, line: number | null, field: string | null, why: string }} d */
    what: d => `${d.file}${d.line === null ? '' : `, line ${d.line}`}${d.field ? `, ${d.field}` : ''}: ${d.why}.`,
    remedy: () => 'results/experiment.schema.json describes it; npm run hopbench -- init writes one that works.'
  }
}
