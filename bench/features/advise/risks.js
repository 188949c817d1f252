/** Finds what may fail in production among the facts of an app, the most serious first (pure). */
import { hasOption, hasProxy } from '../../plan/changed-spec.js'
import { plural } from '../../shared/format.js'
import { getFramework } from '../../request/frameworks.js'
import { hasHashedName } from '../../shared/http/hashed-names.js'

/** @import { AdviceCheck, AdviceFacts, Risk } from '../../types.js' */

/** @typedef {{ facts: AdviceFacts, topology: string, checks: AdviceCheck[] }} Found */

/**
 * Returns how an app sends a header: as a call of its framework, where all requests have the same one.
 * @param {AdviceFacts} facts
 * @param {string} value
 */
const cacheControl = ({ project: { framework } }, value) => framework?.name === 'express'
  ? `res.set('Cache-Control', '${value}')`
  : `Cache-Control: ${value}`

/** @param {AdviceFacts['project']} project */
const toListening = ({ hasManifest, framework }) => hasManifest
  ? getFramework(framework?.name).listens ?? "server.listen(port, '0.0.0.0')"
  : 'Let the app listen on the address in HOST, which is 0.0.0.0 in the kit.'

/**
 * Returns how an app ends without cutting requests. The start script of a kit ends nginx first; Heroku does not.
 * @param {Pick<AdviceFacts, 'project' | 'platform'>} facts
 */
function toGracefulEnd ({ project: { hasManifest, framework }, platform: { target } }) {
  const { holdsServer, ends } = getFramework(framework?.name)
  if (holdsServer && target !== 'heroku') return 'Put nginx in front, which ends first in a kit.'
  return hasManifest
    ? ends ?? "process.on('SIGTERM', () => server.close())"
    : 'Handle SIGTERM: close the listener and wait for the responses.'
}

/** Seconds that a timeout must be longer than the one in front, for the time of a packet on its way. */
export const SPARE_SECONDS = 5
/** Time after which the nginx of a kit closes an idle connection to an app that is a command. */
export const NGINX_IDLE_SECONDS = 4

/** Word in the title of the check of a request in flight. */
const CUT = /\bSIGTERM\b/

/**
 * Returns the lines to change by words in the titles of checks.
 * @param {Pick<Found, 'facts' | 'topology'>} found
 * @returns {[RegExp, string][]}
 */
function listRemedies ({ facts: { project, platform }, topology }) {
  const seconds = (hasProxy(topology) ? NGINX_IDLE_SECONDS : platform.idleSeconds) + SPARE_SECONDS
  return [
    [/\bidle\b/, project.hasManifest
      ? `server.keepAliveTimeout = ${seconds}_000`
      : `Let the app keep idle connections for ${seconds} s.`],
    [/\bother machines\b/, toListening(project)],
    [CUT, toGracefulEnd({ project, platform })],
    [/./, 'Mend it before you deploy: docs/deploy.md, Limits.']
  ]
}

/**
 * Returns a risk for each behaviour of the kit that fails.
 * @param {Found} found
 * @returns {Risk[]}
 */
const findFailedChecks = ({ checks, ...found }) => checks.filter(({ holds }) => !holds).map(({ title, fault }) => ({
  code: 'check-failed',
  text: `A behaviour of the kit fails: ${title} (${fault}).`,
  line: String(listRemedies(found).find(([pattern]) => pattern.test(title))?.[1])
}))

/** How the header X-Powered-By is removed, by its value. @type {Record<string, string>} */
const POWERED_BY = { 'Next.js': 'poweredByHeader: false', Express: "app.disable('x-powered-by')" }

/**
 * Returns the option with which nginx keeps parts of a stream until it ends (docs/behaviour.md, Streams).
 * @param {AdviceFacts['app']['pages'][number]} page
 * @param {string} topology
 */
function findHoldingOption ({ type }, topology) {
  if (hasOption(topology, 'tls')) return '+tls'
  // nginx compresses no server-sent events.
  return hasOption(topology, 'gzip') && type !== 'text/event-stream' ? '+gzip' : null
}

/**
 * Returns whether a response is a file of a folder with a hash in its name, and states that it may be kept for good.
 * @param {AdviceFacts['app']['pages'][number]} page
 * @param {string} prefix of the folder
 */
const isForGood = ({ path, cacheControl }, prefix) => path.startsWith(`${prefix}/`) && hasHashedName(path) &&
  /\bimmutable\b|max-age=\d{7}/i.test(cacheControl ?? '')

/** Kits whose health check requests the first measured path. */
const HEALTH_BY_PATH = ['docker', 'fly', 'render']

/** @type {((found: Found) => Risk | null | false | undefined)[]} */
const RISKS = [
  ({ facts, topology }) => {
    const page = facts.app.pages.find(page => page.streams && !page.isUnbuffered && findHoldingOption(page, topology))
    return page && {
      code: 'stream-held',
      text: `The response to ${page.path} is a stream, and nginx with ${findHoldingOption(page, topology)} keeps its ` +
        'parts until the end.',
      line: 'X-Accel-Buffering: no, on streams'
    }
  },
  ({ facts }) => {
    const page = facts.app.pages.find(({ setsCookie, cacheControl }) =>
      setsCookie && /\bpublic\b|s-maxage/i.test(cacheControl ?? ''))
    return page && {
      code: 'cookie-public',
      text: `The response to ${page.path} sets a cookie and is public: a shared cache may send it to other clients.`,
      line: cacheControl(facts, 'private')
    }
  },
  ({ facts, topology }) => hasOption(topology, 'cache') && {
    code: 'cache-all',
    text: 'The cache of the kit keeps each response without Cache-Control and cookies, not only those that were read.',
    line: cacheControl(facts, 'private')
  },
  // The start script of a kit ends nginx first, which waits for responses. Heroku sends SIGTERM to the app as well.
  // A failed check of the kit states it already.
  ({ facts: { app: { drains }, project, platform }, topology, checks }) => drains === false &&
    (!hasProxy(topology) || platform.target === 'heroku') &&
    !checks.some(({ title, holds }) => !holds && CUT.test(title)) && {
    code: 'no-sigterm',
    text: 'SIGTERM ends the app with a request in flight: each deployment cuts some.',
    line: toGracefulEnd({ project, platform })
  },
  ({ facts: { app: { drains, endSeconds }, project } }) => drains && endSeconds === null && {
    code: 'no-end',
    text: 'The app was still running 10 s after SIGTERM, and the platform kills it then.',
    line: project.hasManifest
      ? "process.on('SIGTERM', () => server.close(() => process.exit()))"
      : 'End the process when the last response is sent.'
  },
  ({ facts: { platform }, topology }) => platform.endsTls && !platform.trustsRouter && hasProxy(topology) && {
    code: 'trust-router',
    text: `The router of ${platform.provider} terminates TLS, and nginx of this kit trusts no router: the app sees ` +
      'http and the address of the router.',
    line: `hopbench config '${topology}' --target ${platform.target} --trust with the network of the router`
  },
  ({ facts: { platform, project: { framework, trustsProxy } }, topology }) => {
    const { title, trust } = getFramework(framework?.name)
    const front = hasProxy(topology)
      ? 'nginx of the kit passes the scheme and the address of clients on.'
      : platform.endsTls && `The router of ${platform.provider ?? platform.target} terminates TLS.`
    return front !== false && trust && !trustsProxy && {
      code: 'trust-proxy',
      text: `${front} No setting was found with which ${title} takes them from the proxy in front: without it the ` +
        'app may take the scheme or the address of the proxy for those of its clients.',
      // In front of Render's router is Cloudflare, which adds an address of its own; nginx of a kit sends one address.
      line: trust.line(platform.target === 'render' && !hasProxy(topology) ? 2 : 1)
    }
  },
  ({ facts: { project: { framework, lacksAdapter } } }) => {
    const { title, adapter } = getFramework(framework?.name)
    return lacksAdapter === true && {
      code: 'no-adapter',
      text: `package.json has no ${adapter}, without which ${title} builds no server for Node.`,
      line: `npm install --save-dev ${adapter}`
    }
  },
  ({ facts: { platform }, topology }) => !platform.endsTls && {
    code: 'no-tls',
    text: 'No router terminates TLS there: the kit serves plain HTTP.',
    line: 'Put a load balancer with a certificate in front' +
      `${hasProxy(topology) ? ', and write the kit with --trust and its network' : ''}, or write the kit with +tls.`
  },
  ({ facts: { isPrivate, platform: { target }, app: { pages: [page] } }, topology }) =>
    isPrivate && page && HEALTH_BY_PATH.includes(target) && {
      code: 'health-private',
      text: `The health check of the kit requests ${page.path} without the headers of the measured requests. If the ` +
        'app refuses such a request, no instance becomes healthy.',
      line: `hopbench config '${topology}' --target ${target} --path /a-page-without-login --force`
    },
  ({ facts }) => {
    const page = facts.app.pages.find(({ setsCookie, cacheControl }) => setsCookie && !cacheControl)
    return !facts.isPrivate && page && {
      code: 'cookie-cacheable',
      text: `The response to ${page.path} sets a cookie without Cache-Control: each client gets a session.`,
      line: cacheControl(facts, 'private, no-store')
    }
  },
  ({ facts: { app: { pages } } }) => {
    const page = pages.find(({ setsCookie }) => setsCookie)
    return page && {
      code: 'sessions',
      text: `The response to ${page.path} sets a cookie. Instances share no memory: a session that the app keeps in ` +
        'memory is lost at the others, and with each deployment.',
      line: 'Keep sessions in a store that all instances reach, or in the cookie itself.'
    }
  },
  ({ facts: { folders } }) => {
    const folder = folders.find(({ maps }) => maps > 0)
    return folder && {
      code: 'source-maps',
      text: `${folder.prefix || '/'} publishes ${plural(folder.maps, 'source map')}, from which the code can be read.`,
      line: `find . -name '*.map' -delete, in the folder of ${folder.prefix || '/'} before it is deployed`
    }
  },
  // nginx of a kit removes the header.
  ({ facts: { app: { poweredBy } }, topology }) =>
    poweredBy !== null && !hasProxy(topology) && {
      code: 'powered-by',
      text: `Each response names the framework: X-Powered-By: ${poweredBy}.`,
      line: POWERED_BY[poweredBy] ?? 'Remove the header X-Powered-By.'
    },
  ({ facts: { app: { pages }, folders }, topology }) => {
    const folder = folders.find(({ hashed, prefix }) => hashed > 0 && !pages.some(page => isForGood(page, prefix)))
    return folder && !hasProxy(topology) && {
      code: 'not-immutable',
      text: `${plural(folder.hashed, 'file')} of ${folder.prefix || '/'} with a hash in the name may be kept for ` +
        'good. Unless the app states this, browsers request such files again.',
      line: 'Cache-Control: public, max-age=31536000, immutable'
    }
  },
  ({ facts: { app: { pages }, folders }, topology }) => {
    const folder = folders.find(({ compressible }) => compressible > 0)
    const isPlain = hasOption(topology, 'static') && !hasOption(topology, 'gzip_static') && !hasOption(topology, 'gzip')
    return folder && isPlain && pages.some(({ encoding }) => encoding !== null) && {
      code: 'files-plain',
      text: `The app compresses its responses, and nginx sends the files of ${folder.prefix || '/'} uncompressed.`,
      line: '+static+gzip, or +static+gzip_static with .gz files that the build of the app writes'
    }
  },
  ({ facts: { project } }) => project.hasManifest && project.lock === null && {
    code: 'no-lock',
    text: 'The project has no lock file: each deployment may install other versions.',
    line: 'npm install --package-lock-only'
  },
  ({ facts: { project }, topology }) => project.upgrades.length > 0 && hasProxy(topology) && {
    code: 'upgrades',
    text: `The app depends on ${project.upgrades[0]}: a reload of nginx ends its connections after the drain time.`,
    line: 'Let clients connect again by themselves.'
  }
]

/**
 * @param {Found} found
 * @returns {Risk[]} the most serious first
 */
export const findRisks = found => [...findFailedChecks(found), ...RISKS.flatMap(find => find(found) || [])]
