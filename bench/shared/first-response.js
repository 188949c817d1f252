/** Diagnoses the first response of an app, for all commands that start or request one (pure). */
import { pathWithoutSecrets } from './secrets.js'

/** @import { GateRefusal } from '../types.js' */

/** Fewest requests that a limiter must allow, more than any load sends. */
const MIN_ALLOWED = 1_000_000
/** Headers of limiters (draft-ietf-httpapi-ratelimit-headers, its forerunners) and of logins. */
export const LOOK_HEADERS = [
  'www-authenticate', 'ratelimit', 'ratelimit-policy', 'ratelimit-limit', 'x-ratelimit-limit', 'x-rate-limit-limit'
]
/** Statuses of programs that are not ready. */
const BEFORE_READY = [502, 503, 504]
const LOGIN = /log-?in|sign-?in|auth|sso|session|account|enter/i

/** @typedef {{ status: number, location?: string | null, headers?: Record<string, string | null> }} Answer */
/**
 * A first response, or its absence.
 * @typedef {object} Look
 * @property {string} request as in "GET /"
 * @property {Answer} [answer] left out: there was none
 * @property {string} [failure] why there was none
 * @property {boolean} [isTls] whether the port accepts a TLS handshake
 * @property {string} [output] of the app
 * @property {boolean} [isPrivate] whether a private network separates the app from other programs
 * @property {boolean} [isMix] whether a file names the requests
 * @property {string[]} [packages] on which the app depends
 */

/**
 * A response that cannot be measured, or its absence.
 * @typedef {object} Fault
 * @property {GateRefusal['params']} params
 * @property {boolean} isMissing whether there was no response
 * @property {boolean} isWaiting whether a later response can be another one
 */
/** Remedy of a fault, with the cause if that is known. @typedef {Omit<GateRefusal['params'], 'why'> &
 * { remedy: string, cause?: string }} Cause */

/** Services by their ports and names in the output of an app. @type {[RegExp, string][]} */
const SERVICES = [
  [/:5432\b|postgres/i, 'PostgreSQL'], [/:3306\b|mysql|mariadb/i, 'MySQL'], [/:27017\b|mongo/i, 'MongoDB'],
  [/:6379\b|redis/i, 'Redis'], [/./, 'the program to which the app connects']
]
const NO_CONNECTION = /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|connection refused/i

/**
 * Finds a service that an app does not reach.
 * @param {Pick<Look, 'output' | 'isPrivate'>} app
 * @returns {Cause | null}
 */
export function findService ({ output = '', isPrivate = false }) {
  if (!NO_CONNECTION.test(output)) return null
  const name = SERVICES.find(([pattern]) => pattern.test(output))?.[1]
  return isPrivate
    ? {
        cause: `it does not reach ${name} from its private network`,
        remedy: `Start ${name} on this machine, and give the app the network of this machine with --no-lab.`,
        add: ['--no-lab']
      }
    : {
        cause: `it does not reach ${name} on this machine`,
        remedy: `Start ${name} on this machine, and set its address in the environment.`
      }
}

/** @type {(text: string, header: string) => Cause} */
const header = (text, header) => ({ remedy: `Send ${text} with --header.`, add: ['--header', header] })
/** @type {(text: string, path: string) => Cause} */
const path = (text, path) => ({ remedy: `Name ${text} with --path.`, add: ['--path', path] })

/** How the limiter of a package is skipped. @type {Record<string, string>} */
const SKIPPED = {
  'express-rate-limit': 'rateLimit({ skip: () => true })',
  '@fastify/rate-limit': 'app.register(rateLimit, { allowList: () => true })',
  '@nestjs/throttler': 'ThrottlerModule.forRoot({ skipIf: () => true, throttlers: [] })',
  'koa-ratelimit': 'ratelimit({ whitelist: () => true })'
}

/**
 * Returns the cause of an error response of a limiter, or of its headers.
 * @param {string} what is limited
 * @param {string[]} [packages] of the app
 * @returns {Cause}
 */
function findLimiter (what, packages = []) {
  const name = packages.find(name => Object.hasOwn(SKIPPED, name))
  return {
    cause: `it limits ${what}`,
    remedy: 'Raise the limit of the app above the load, or skip its limiter while you measure' +
      `${name === undefined ? '' : `, with ${name}: ${SKIPPED[name]}`}.`
  }
}

/** Causes by status. @type {Record<number, (answer: Answer, look: Partial<Look>) => Cause>} */
const STATUSES = {
  401: ({ headers }) => ({
    cause: 'it requires a login',
    ...header('credentials',
      `Authorization: ${/^basic\b/i.test(headers?.['www-authenticate'] ?? '') ? 'Basic BASE64' : 'Bearer TOKEN'}`)
  }),
  403: () => ({ cause: 'it may require a session', ...header('the cookie of a session', 'Cookie: NAME=VALUE') }),
  400: () => ({ cause: 'it may serve another host', ...header('the name of its host', 'Host: HOST') }),
  421: () => ({ cause: 'it serves another host', ...header('the name of its host', 'Host: HOST') }),
  429: (_, { packages }) => findLimiter('requests', packages)
}

/**
 * Returns the cause of a redirect.
 * @param {string} location
 * @returns {Cause}
 */
function findRedirect (location) {
  const here = new URL('http://app.invalid')
  const url = URL.canParse(location, here.href) ? new URL(location, here) : here
  if (LOGIN.test(url.pathname)) {
    return { cause: 'it requires a login', ...header('the cookie of a session', 'Cookie: NAME=VALUE') }
  }
  if (url.protocol === 'https:') {
    return { cause: 'it requires https', ...header('the scheme that a proxy passes on', 'X-Forwarded-Proto: https') }
  }
  if (url.host !== here.host && !/^(127\.|localhost\b|\[::1\])/.test(url.host)) {
    return { cause: 'it serves another host', ...header('the name of its host', `Host: ${url.host}`) }
  }
  return { ...path('the address of the redirect', pathWithoutSecrets(url.pathname + url.search)) }
}

/**
 * Returns the number of requests that a limiter allows; null: no header of a limiter.
 * @param {Answer} answer
 */
function findLimit ({ headers = {} }) {
  const [, limit] = LOOK_HEADERS.slice(1)
    .map(name => /(?:^\s*|\blimit=|\bq=)(\d+)/.exec(headers[name] ?? '')).find(Boolean) ?? []
  return limit === undefined ? null : Number(limit)
}

/**
 * Returns the cause of a response with another status than 2xx, or of a missing response.
 * @param {Look} look
 * @returns {Cause}
 */
function findCause ({ answer, failure = '', isPrivate = false, packages }) {
  const status = answer?.status ?? 599
  if (answer && STATUSES[status]) return STATUSES[status](answer, { packages })
  if (answer?.location && status < 400) return findRedirect(answer.location)
  if (status < 500) return path('a path of the app', '/PATH')
  if (!answer && !isSilence(failure)) return path('a path whose responses end', '/PATH')
  const byHand = 'tart the app by hand, request this path and read its output.'
  if (answer && BEFORE_READY.includes(status)) return { cause: 'it may still be starting', remedy: `S${byHand}` }
  if (!isPrivate) return { remedy: `S${byHand}` }
  return { remedy: `Add --no-lab if it needs another program of this machine; otherwise s${byHand}`, add: ['--no-lab'] }
}

/** @param {string} failure */
const isSilence = failure => failure.startsWith('no response')

/**
 * Finds the fault of a first response (pure).
 * @param {Look} look
 * @returns {Fault | null} null: it can be measured
 */
export function findFault (look) {
  const { request, answer, failure = '', isTls = false, isMix = false } = look
  const limit = answer ? findLimit(answer) : null
  const isSuccess = answer !== undefined && answer.status > 199 && answer.status < 300
  if (isSuccess && (limit ?? Infinity) >= MIN_ALLOWED) return null
  const service = !answer || answer.status > 499 ? findService(look) : null
  const { cause, ...rest } = isTls
    ? { cause: 'it speaks TLS', remedy: 'Start it without TLS, because hopbench and proxies connect to it over http.' }
    : isSuccess
      ? findLimiter(`clients to ${limit} requests`, look.packages)
      : service ?? findCause(look)
  const end = answer?.location ? ` and leads to ${pathWithoutSecrets(answer.location)}` : ''
  const fact = answer
    ? `its own server responds to ${request} with status ${answer.status}${end}`
    : `its own server does not respond to ${request} (${failure})`
  return {
    params: {
      why: cause === undefined ? fact : `${fact}: ${cause}`,
      ...isMix && rest.add?.[0] === '--path' ? { remedy: 'Leave the path out of the file of --paths or --har.' } : rest
    },
    isMissing: answer === undefined,
    isWaiting: answer ? BEFORE_READY.includes(answer.status) && !service?.add : !isTls && isSilence(failure)
  }
}
