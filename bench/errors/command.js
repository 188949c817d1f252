/** Errors of the typed command. Nothing was started. */
import { didYouMean, remedyOr } from './words.js'

/** @import { ErrorEntry, Nearest } from './words.js' */

/** @satisfies {Record<string, ErrorEntry>} */
export const command = {
  'unknown-experiment': {
    exit: 2,
    what: (/** @type {{ name: string } & Nearest} */ d) =>
      `"${d.name}" is neither an experiment nor a topology.${didYouMean(d)}`,
    remedy: 'Choose a name from the output of: npm run hopbench -- list'
  },
  'unknown-plugin': {
    exit: 2,
    what: (/** @type {{ kind: string, name: string, folder: string } & Nearest} */ d) =>
      `There is no ${d.kind} "${d.name}" in ${d.folder}/.${didYouMean(d)}`,
    remedy: (/** @type {{ known: string[] }} */ d) => `Use one of: ${d.known.join(', ')}.`
  },
  'bad-plugin': {
    what: (/** @type {{ file: string, why: string }} */ d) => `The plug-in ${d.file} is invalid: ${d.why}.`,
    remedy: 'Correct the file. Compare it with the contract of its kind in CONTRIBUTING.md.'
  },
  'bad-topology': {
    exit: 2,
    what: (/** @type {{ spec: string, why: string }} */ d) => `The topology "${d.spec}" cannot be used: ${d.why}.`,
    remedy: remedyOr(
      'Write a topology as [proxy[:transport][+option=value]/]server[@manager:instances], for example ' +
      'nginx:uds/express-json.')
  },
  'bad-option': {
    exit: 2,
    /**
     * @param {{ option: string, value?: unknown, why: string }} d value: as typed; true: a flag, or an option without
     * a value; undefined: something is missing
     */
    what: ({ option, value, why }) => {
      if (value === undefined) return `${option} is incomplete: ${why}.`
      return value === true ? `${option} is not possible here: ${why}.` : `${option} cannot be "${value}": ${why}.`
    },
    remedy: remedyOr('Check the description in the --help of the command.')
  },
  'bad-command-line': {
    exit: 2,
    what: (/** @type {{ why: string }} */ d) => `${d.why}.`,
    remedy: (/** @type {{ command: string }} */ d) => `Check the usage with: ${d.command} --help`
  },
  'no-module': {
    exit: 2,
    what: (/** @type {{ file: string, name: string }} */ d) => `There is no file ${d.file} for the server ${d.name}.`,
    remedy:
      'Check the path. Name a module whose default export is a (req, res) handler or an Express app, as in ' +
      './my-app.js.'
  },
  'bad-project-file': {
    exit: 2,
    what: (/** @type {{ file: string, why: string }} */ d) => `The file ${d.file} cannot be read: ${d.why}.`,
    remedy: 'Replace it by a valid plain file that this account can read.'
  },
  'root-missing': {
    exit: 2,
    what: (/** @type {{ dir: string, why: string }} */ d) => `There is no folder ${d.dir} to serve: ${d.why}.`,
    remedy: 'Name the folder that holds your files, as in --root ./public.'
  },
  'root-unreadable': {
    exit: 2,
    what: (/** @type {{ dir: string, why: string }} */ d) => `The folder ${d.dir} cannot be read: ${d.why}.`,
    remedy: 'Let this account read it (chmod -R a+rX), or name another folder with --root.'
  },
  'root-empty': {
    exit: 2,
    what: (/** @type {{ dir: string }} */ d) =>
      `${d.dir} has no file that is requested: hidden files, links, odd names and files above 10 MiB are left out.`,
    remedy: 'Name the folder that your build writes to, as in --root ./dist.'
  },
  'paths-unreadable': {
    exit: 2,
    what: (/** @type {{ file: string, why: string }} */ d) => `The list of paths ${d.file} cannot be read: ${d.why}.`,
    remedy: 'Name a text file with a path on each line, or an access log, with --paths.'
  },
  'paths-empty': {
    exit: 2,
    /** @param {{ listed: number, file: string, root: string | null, leftOut: string[] }} d listed: number of different
     * paths; root: null for an app; leftOut: lines by reason */
    what: d => {
      const leftOut = d.leftOut.length > 0 ? `; left out: ${d.leftOut.join(', ')}` : ''
      if (d.listed === 0) return `There is no path in ${d.file}${leftOut}.`
      if (d.root === null) return `Each of the ${d.listed} paths in ${d.file} has a secret in its query.`
      return `None of the ${d.listed} paths in ${d.file} is a file below ${d.root}.`
    },
    remedy:
      'List paths that begin with a slash and are relative to --root, or use an access log that has responses with ' +
      'status 200.'
  },
  'har-unreadable': {
    exit: 2,
    what: (/** @type {{ file: string, why: string }} */ d) => `The HAR file ${d.file} cannot be read: ${d.why}.`,
    remedy: 'In the network tab of a browser, load the page and choose "Save all as HAR".'
  },
  'har-empty': {
    exit: 2,
    /** @param {{ file: string, leftOut: string[] }} d leftOut: what was left out, and how often */
    what: d => d.leftOut.length === 0
      ? `There is no request in ${d.file}.`
      : `No request in ${d.file} can be repeated; left out: ${d.leftOut.join(', ')}.`,
    remedy: 'Save a page whose requests are GET and succeed, as in: open the page, reload it, "Save all as HAR".'
  },
  'engine-cannot': {
    exit: 2,
    /** @param {{ engine: string, what: string, arm: string }} d arm: arm or option that requires it */
    what: d => `${d.engine} cannot ${d.what}, which ${d.arm} requires.`,
    remedy: 'Choose another with --engine from the output of: npm run hopbench -- list'
  },
  'too-many-connections': {
    exit: 2,
    what: (/** @type {{ connections: number, name: string, needed: number, openFiles: number }} */ d) =>
      `${d.connections} connections to ${d.name} need about ${d.needed} open files in one process, and the hard ` +
      `limit here is ${d.openFiles}.`,
    // Node has raised its soft limit to the hard limit, which its children inherit.
    /** @param {{ needed: number, scenario?: string }} d scenario: that opens the connections, without --connections */
    remedy: ({ needed, scenario }) => {
      const fewer = scenario
        ? `Write an experiment file in which ${scenario} opens fewer connections`
        : 'Use fewer --connections'
      return `${fewer}, or raise the hard limit as root with ulimit -Hn ${needed} or with nofile in ` +
        '/etc/security/limits.conf.'
    }
  }
}
