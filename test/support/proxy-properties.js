/** Properties of recommended configurations, each for requests of a generator, with the real programs. */
import fc from 'fast-check'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { findProxies } from '../../bench/measure/find-programs.js'
import { makeTempDir, makeTempRoot } from '../../bench/machine/files/temp.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { HOST, SITE, exchange } from '../../bench/features/deploy/configs/client.js'
import { askOverHttp2, openHttp2 } from '../../bench/features/deploy/configs/tls-client.js'
import { getConfigArms, getProgram, startSubject } from '../../bench/features/deploy/configs/study.js'
import { TARGETS } from '../../bench/features/deploy/kit/targets.js'
import { findCertificate } from '../../bench/topology/certificates.js'
import { keepsResponsesApart } from './cache-pairs.js'
import { skipWithout } from './needs.js'
import { findFault, requests, toText } from './sent-requests.js'

/** @import { Test } from 'tap' */
/** @import { Subject, SubjectName } from '../../bench/features/deploy/configs/types.js' */
/** @import { Sent } from './sent-requests.js' */
/** @typedef {(subject: Subject) => fc.IAsyncProperty<any>} ToProperty */

/** Hosts of the site where a configuration names them. */
const SITE_HOSTS = [SITE, `www.${SITE}`]
const ways = fc.constantFrom('new', 'kept', 'pipelined')
/** Schemes that a client of HTTP/2 names. null: that of the connection. */
const schemes = fc.constantFrom(null, null, null, 'http', 'ftp')

/**
 * A router in front of a kit. stated: value of its header with the address of the client.
 * @typedef {{ stated: string | null, scheme: string | null } | null} Router
 */

/**
 * Returns the routers in front of a subject. null: the client connects itself.
 * @param {Subject} subject
 */
const toRouters = subject => /** @type {fc.Arbitrary<Router>} */ (subject.router === null
  ? fc.constant(null)
  : fc.option(fc.record({
    stated: fc.constantFrom(null, '203.0.113.9', '2001:db8::9', '198.51.100.7, 203.0.113.9', '203.0.113.9, forged',
      'forged', ''),
    scheme: fc.constantFrom(null, 'http', 'https', 'ftp')
  })))

/**
 * Returns a request as a router passes it on. The router replaces the headers that it sets.
 * @param {Subject} subject
 * @param {Sent} sent
 * @param {Router} router
 * @returns {Sent}
 */
function toRouted ({ name }, sent, router) {
  if (!router) return sent
  const { clientHeader } = TARGETS[name]
  const own = [clientHeader, 'X-Forwarded-Proto'].map(header => header.toLowerCase())
  const headers = sent.headers.filter(([header]) => !own.includes(header.toLowerCase()))
  if (router.stated !== null) headers.push([clientHeader, router.stated])
  if (router.scheme !== null) headers.push(['X-Forwarded-Proto', router.scheme])
  return { ...sent, headers }
}

/**
 * Returns the address that the app should get: the last one that a router states, else that of the connection.
 * @param {Subject} subject
 * @param {Router} router
 */
function toAddress (subject, router) {
  if (!router) return HOST
  const last = router.stated?.split(',').at(-1)?.trim() ?? ''
  return isIP(last) ? last : String(subject.router)
}

/**
 * Property: for every sequence of requests on every type of connection the app gets exactly the promised headers.
 * @param {Subject} subject
 * @param {string[] | null} [site] hosts of the site; null: the configuration names none
 */
export const passesPromisedHeaders = (subject, site = null) =>
  fc.asyncProperty(ways, toRouters(subject), requests, async (way, router, sequence) => {
    const all = sequence.map(sent => toRouted(subject, sent, router))
    const from = router ? String(subject.router) : undefined
    const expected = {
      address: toAddress(subject, router), scheme: router?.scheme === 'https' ? 'https' : 'http', site
    }
    for (const group of way === 'new' ? all.map(sent => [sent]) : [all]) {
      const responses = await exchange(subject, group.map(toText), { isPipelined: way === 'pipelined', from })
      if (responses.length === 0) throw new Error('no response')
      for (const [i, response] of responses.entries()) {
        const fault = findFault(subject.name, group[i], response, expected)
        if (fault) throw new Error(`request ${i + 1}, ${way}: ${fault}`)
      }
    }
  })

/**
 * Property: the same for requests of one connection of HTTP/2.
 * @param {Subject} subject
 */
export const passesPromisedHeadersOverHttp2 = subject => fc.asyncProperty(schemes, requests, async (named, all) => {
  const session = openHttp2(subject)
  try {
    for (const [i, over1] of all.entries()) {
      const sent = toHttp2(subject, over1)
      /** @type {Record<string, string[]>} */
      const fields = {}
      for (const [name, value] of sent.headers) (fields[name.toLowerCase()] ??= []).push(value)
      const response = await askOverHttp2(session, {
        ...fields,
        ...sent.target === null ? {} : { host: sent.hosts[0] },
        ...named === null ? {} : { ':scheme': named },
        ':method': sent.method,
        ':authority': sent.target ?? sent.hosts[0]
      })
      // A proxy may reject a scheme other than that of the connection.
      if (named !== null && response.status !== 200) return
      // With a scheme, ":authority" is the host of a URL, whose default port a proxy may remove.
      const target = named === null ? sent.target : sent.target ?? (sent.hosts[0] || null)
      const fault = findFault(subject.name, { ...sent, target }, response,
        { scheme: 'https', address: HOST, site: null })
      if (fault) throw new Error(`request ${i + 1}: ${fault}`)
      // A proxy may close the connection after a wrong request.
      if (response.status !== 200) return
    }
  } finally {
    session.destroy()
  }
})

/**
 * Returns a request for HTTP/2, in which ":authority" has the host of a target beside Host, and which has no headers of
 * a connection. node:http2 groups the lines of a header.
 * @param {Subject} subject
 * @param {Sent} sent
 * @returns {Sent}
 */
const toHttp2 = ({ name }, { hosts: [host = SITE], target, ...sent }) => ({
  ...sent,
  version: '1.1',
  // With TLS, Caddy has the name of the site in its configuration.
  hosts: [name === 'caddy' ? SITE : host],
  target: name === 'caddy' ? null : target,
  upgrades: [],
  connection: [],
  body: null,
  turn: 0
})

/**
 * Starts a proxy or kit with its recommended configuration.
 * @param {Test} t
 * @param {SubjectName} subject
 * @param {Record<string, string>} options
 * @param {(text: string) => string} [change] of each configuration and start script
 * @returns {Promise<Subject>}
 */
async function startRecommended (t, subject, options, change) {
  const temp = makeTempRoot()
  const programs = await findProxies(getConfigArms([subject]))
  const certificates = [await findCertificate('ecdsa-p256', join(temp.path, 'certificate'))]
  const running = await startSubject({
    subject,
    behaviour: { title: '', options, run: async () => null },
    dir: makeTempDir(temp.path, 'subject'),
    program: getProgram(programs, subject),
    certificates,
    change
  })
  t.teardown(async () => {
    await running.stop()
    temp.remove()
  })
  return running
}

/**
 * Returns the properties of a subject, by the options with which it is started.
 * @param {SubjectName} subject
 * @returns {Promise<{ title: string, options: Record<string, string>, properties: ToProperty[] }[]>}
 */
async function toGroups ({ name, kind }) {
  const isKit = kind === 'kit'
  const { options } = (await loadPlugin('proxy', isKit ? 'nginx' : name)).default.about
  const hasCache = Object.hasOwn(options, 'cache')
  const hasTls = isKit ? !TARGETS[name].endsTls : name !== 'varnish'
  return [
    {
      title: `passes the promised headers${hasCache ? ', and its cache separates responses' : ''}`,
      options: hasCache ? { cache: '30s' } : {},
      properties: [passesPromisedHeaders, ...hasCache ? [keepsResponsesApart] : []]
    },
    {
      title: 'passes the promised headers, and no host besides those of the site',
      options: { host: SITE_HOSTS.join(',') },
      properties: [running => passesPromisedHeaders(running, SITE_HOSTS)]
    },
    ...hasTls
      ? [{
          title: 'passes the promised headers over HTTP/2',
          options: { tls: 'ecdsa-p256' },
          properties: [passesPromisedHeadersOverHttp2]
        }]
      : []
  ]
}

/** Proxies, and the kits. */
const SUBJECTS = [
  ...pluginNames('proxy').map(name => ({ name, kind: /** @type {const} */ ('proxy') })),
  ...Object.keys(TARGETS).map(name => ({ name, kind: /** @type {const} */ ('kit') }))
]

/** Returns whether HOPBENCH_SUBJECTS is empty or names a subject. @param {string} name */
const isChosen = name => (process.env.HOPBENCH_SUBJECTS || name).split(',').includes(name)

/**
 * Tests the properties of all proxies and kits, or of those in HOPBENCH_SUBJECTS. A failure names the seed, which
 * HOPBENCH_SEED repeats.
 * @param {Test} t
 * @param {(name: string) => number} toCases number of generated cases for a subject
 */
export async function testProperties (t, toCases) {
  const { HOPBENCH_SEED } = process.env
  for (const subject of SUBJECTS) {
    const { name, kind } = subject
    if (!isChosen(name)) continue
    const skip = skipWithout(kind === 'kit' ? 'nginx' : name)
    for (const { title, options, properties } of await toGroups(subject)) {
      t.test(`an app behind ${name} ${title}`, { skip, timeout: 7_200_000, buffered: true }, async t => {
        const running = await startRecommended(t, subject, options)
        for (const toProperty of properties) {
          const details = await fc.check(toProperty(running),
            { numRuns: toCases(name), ...HOPBENCH_SEED && { seed: Number(HOPBENCH_SEED) } })
          const why = details.errorInstance instanceof Error ? details.errorInstance.message : ''
          t.notOk(details.failed, `HOPBENCH_SEED=${details.seed}: ${why}: ${JSON.stringify(details.counterexample)}`)
        }
      })
    }
  }
}

/** Cases within which a planted fault must be found. The rarest one takes 80 on average. */
const CASES_OF_FAULT = 1000

/**
 * Tests that a property does not hold for a wrong configuration.
 * @param {Test} t
 * @param {object} fault
 * @param {string} fault.name of the proxy
 * @param {Record<string, string>} [fault.options]
 * @param {ToProperty} [fault.toProperty]
 * @param {(text: string) => string} fault.change
 */
export function findsFault (t, { name, options = {}, toProperty = passesPromisedHeaders, change }) {
  if (!isChosen(name)) return
  const title = `a property finds a planted fault of ${name}: ${Object.keys(options).join() || 'no options'}`
  t.test(title, { skip: skipWithout(name), timeout: 600_000, buffered: true }, async t => {
    let changed = false
    const running = await startRecommended(t, { name, kind: 'proxy' }, options, text => {
      changed ||= change(text) !== text
      return change(text)
    })
    t.ok(changed, 'the fault is in the configuration')
    const { failed, errorInstance } = await fc.check(toProperty(running),
      { numRuns: CASES_OF_FAULT, endOnFailure: true })
    t.ok(failed, `${CASES_OF_FAULT} cases`)
    t.comment(errorInstance instanceof Error ? errorInstance.message : '')
  })
}
