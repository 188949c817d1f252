/** Finds what may fail in production among the facts of an app, the most serious first (pure). */
import { hasOption, hasProxy } from '../plan/changed-word.js'
import { plural } from '../shared/format.js'

/** @import { AdviceFacts, Risk } from '../types.js' */

/** @typedef {{ facts: AdviceFacts, topology: string }} Found */

/** @type {((found: Found) => Risk | null | false | undefined)[]} */
const RISKS = [
  ({ facts: { app: { pages } } }) => {
    const page = pages.find(({ setsCookie, cacheControl }) =>
      setsCookie && /\bpublic\b|s-maxage/i.test(cacheControl ?? ''))
    return page && {
      code: 'cookie-public',
      text: `The response to ${page.path} sets a cookie and is public: a shared cache may give it to somebody else.`,
      line: "res.set('Cache-Control', 'private')"
    }
  },
  ({ topology }) => hasOption(topology, 'cache') && {
    code: 'cache-all',
    text: 'The cache of the kit keeps each response without Cache-Control and cookies, not only those that were read.',
    line: "res.set('Cache-Control', 'private')"
  },
  // The start script of a kit ends nginx first, which waits for responses. Heroku sends SIGTERM to the app as well.
  ({ facts: { app: { drains }, project, platform }, topology }) =>
    drains === false && (!hasProxy(topology) || platform.target === 'heroku') && {
      code: 'no-sigterm',
      text: 'SIGTERM ends the app with a request in flight: each deployment cuts some.',
      line: project.hasManifest
        ? "process.on('SIGTERM', () => server.close())"
        : 'Handle SIGTERM: close the listener and wait for the responses.'
    },
  ({ facts: { app: { drains, endSeconds } } }) => drains && endSeconds === null && {
    code: 'no-end',
    text: 'The app was still running 10 s after SIGTERM, and the platform kills it then.',
    line: "process.on('SIGTERM', () => server.close(() => process.exit()))"
  },
  ({ facts: { platform, project } }) => platform.endsTls && project.framework?.name === 'express' && {
    code: 'trust-proxy',
    text: `The router of ${platform.provider ?? platform.target} ends TLS, so Express sees http and the address of ` +
      'the router in place of the client.',
    line: "app.set('trust proxy', 1)"
  },
  ({ facts: { platform } }) => !platform.endsTls && {
    code: 'no-tls',
    text: 'No router ends TLS there: the kit serves plain HTTP.',
    line: 'Put a load balancer with a certificate in front, or write the kit with +tls.'
  },
  ({ facts: { app: { pages }, isPrivate } }) => {
    const page = pages.find(({ setsCookie, cacheControl }) => setsCookie && !cacheControl)
    return !isPrivate && page && {
      code: 'cookie-cacheable',
      text: `The response to ${page.path} sets a cookie without Cache-Control: each client gets a session.`,
      line: "res.set('Cache-Control', 'private, no-store')"
    }
  },
  ({ facts: { folders } }) => {
    const folder = folders.find(({ maps }) => maps > 0)
    return folder && {
      code: 'source-maps',
      text: `${folder.prefix} publishes ${plural(folder.maps, 'source map')}, from which the code can be read.`,
      line: `find . -name '*.map' -delete, in the folder of ${folder.prefix} before it is deployed`
    }
  },
  ({ facts: { app: { poweredBy }, project } }) => poweredBy !== null && {
    code: 'powered-by',
    text: `Each response names the framework: X-Powered-By: ${poweredBy}.`,
    line: project.framework?.name === 'next' ? 'poweredByHeader: false' : "app.disable('x-powered-by')"
  },
  ({ facts: { folders }, topology }) => {
    const folder = folders.find(({ hashed }) => hashed > 0)
    return folder && !hasProxy(topology) && {
      code: 'not-immutable',
      text: `${plural(folder.hashed, 'file')} of ${folder.prefix} have a hash in their names and may be kept for good.`,
      line: 'Cache-Control: public, max-age=31536000, immutable'
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
export const findRisks = found => RISKS.flatMap(find => find(found) || [])
