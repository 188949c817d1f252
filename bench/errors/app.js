/** Errors of your own app: its command, its requests, its address, or the experiment about it. */
import { readOutput, remedyOr, shellWord } from './words.js'

/** @import { ErrorEntry, Remedied } from './words.js' */

/** @typedef {{ name: string, output?: string | null }} Command */

/** @satisfies {Record<string, ErrorEntry>} */
export const app = {
  'app-ended': {
    what: (/** @type {Command} */ d) => `${d.name} exited with code 0 before it responded.`,
    remedy: (/** @type {Command & Remedied} */ d) =>
      d.remedy ?? `${readOutput(d)}; use a command that starts a server and keeps running, as npm start does.`
  },
  'app-elsewhere': {
    what: (/** @type {Command & { where: string, wanted: string }} */ d) =>
      `${d.name} listens on ${d.where}, not on ${d.wanted}.`,
    remedy: (/** @type {{ sign: string } & Remedied} */ d) => d.sign === '$HOST'
      ? "Let it listen on the address in $HOST or on all addresses, as in --app 'node app.js --host $HOST'."
      : `Let it listen on ${d.sign}, as in --app 'node app.js --port $PORT', or name its port with --listen.`
  },
  'app-watched': {
    what: (/** @type {{ name: string, watcher: string, folder: string }} */ d) =>
      `${d.watcher} restarts ${d.name} when files below ${d.folder} change, and the results are written there.`,
    remedy: remedyOr('Store the results elsewhere with --results, or start the program without its watcher.')
  },
  'file-published': {
    what: (/** @type {{ name: string, path: string, proxy: string, status: number, location: string | null }} */ d) =>
      `${d.name} would publish ${d.path}: the app responds with status ${d.status}` +
      `${d.location ? ` and leads to ${d.location}` : ''}, and ${d.proxy} serves the file to all clients.`,
    remedy: 'Move the file out of the folder of --files, or leave +static out.'
  },
  'answers-differ': {
    what: (/** @type {{ first: string, second: string, how: string, paths?: [string, string] }} */ d) => {
      const request = d.paths ? `${d.paths[0]} and to ${d.paths[1]}` : 'the same request'
      return `${d.first} and ${d.second} respond differently to ${request}: ${d.how}.`
    },
    remedy:
      'Exclude parts that always vary (a date, a nonce) with --ignore-body \'regex\', or compare less with ' +
      '--compare status,length. If the change is intended, hopbench diff goes on with --allow-different.'
  },
  'bad-header': {
    exit: 2,
    // The message omits the value, which may be a secret.
    what: (/** @type {{ name: string, why: string }} */ d) =>
      `The header ${JSON.stringify(d.name)} cannot be sent: ${d.why}.`,
    remedy: 'Write each header as in --header \'Accept: application/json\'.'
  },
  'secret-missing': {
    exit: 2,
    what: (/** @type {{ run: string, what: string }} */ d) =>
      `The run ${d.run} cannot be resumed without ${d.what}, which was not stored.`,
    remedy: (/** @type {{ option: string }} */ d) => `Repeat ${d.option} with the value of the first start.`
  },
  'url-host': {
    exit: 2,
    what: (/** @type {{ host: string }} */ d) =>
      `${d.host} is another machine, and hopbench sends load to other machines only with permission.`,
    remedy: (/** @type {{ host: string }} */ d) => `Add --allow-host ${shellWord(d.host)} if you may load that machine.`
  },
  'url-unreachable': {
    what: (/** @type {{ url: string, why: string }} */ d) => `${d.url} does not respond: ${d.why}.`,
    remedy: 'Check the address and start the server, or let hopbench start it with --app.'
  },
  'url-certificate': {
    what: (/** @type {{ url: string, why: string }} */ d) =>
      `The certificate of ${d.url} is not trusted on this machine: ${d.why}.`,
    remedy: 'Set NODE_EXTRA_CA_CERTS to the certificate of its authority, or measure it over http.'
  },
  'url-redirects': {
    what: (/** @type {{ url: string, status: number, location: string }} */ d) =>
      `${d.url} redirects to ${d.location} (status ${d.status}), and hopbench does not follow redirects.`,
    remedy: 'Use the address that the redirect leads to.'
  },
  'bad-experiment': {
    exit: 2,
    /** @param {{ file: string, line: number | null, field: string | null, why: string }} d */
    what: d => `${d.file}${d.line === null ? '' : `, line ${d.line}`}${d.field ? `, ${d.field}` : ''}: ${d.why}.`,
    remedy:
      'Compare the file with results/experiment.schema.json, or write one that works with: npm run hopbench -- init'
  }
}
