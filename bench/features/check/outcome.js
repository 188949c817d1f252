/** Findings of probes, with the evidence of failures: the request, its response, and a command that repeats it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { quoteForShell as quote } from '../../errors.js'

/** @import { Evidence } from '../../types.js' */
/** @import { CheckResponse, Finding, Probe } from './types.js' */
/** @typedef {{ method?: string, path: string, headers?: Record<string, string>, body?: string }} Sent */

/** Limit of a stored request or response, in characters. A probe of long names sends 6,000. */
const MAX_CHARACTERS = 2000

/** The last exchange of the running probe. @type {AsyncLocalStorage<{ last: Evidence | null }>} */
const exchanges = new AsyncLocalStorage()

/**
 * Runs an action whose exchanges become the evidence of its failures.
 *
 * @template Result
 * @param {() => Promise<Result>} action
 */
export const traced = action => exchanges.run({ last: null }, action)

/**
 * Keeps requests as the last exchange.
 *
 * @param {string} bytes of all requests
 * @param {Sent[]} requests
 */
export function keepRequest (bytes, requests) {
  const store = exchanges.getStore()
  const command = requests.length === 1 && requests[0].method !== 'HEAD'
    ? curlCommand(requests[0])
    : rawCommand(bytes)
  if (store) store.last = { request: shorten(bytes), response: null, command }
}

/** Adds the response to the last exchange. @param {Pick<CheckResponse, 'status' | 'headers' | 'body'>} response */
export function keepResponse ({ status, headers, body }) {
  const { last } = exchanges.getStore() ?? {}
  const lines = [`HTTP/1.1 ${status}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  if (last) last.response = shorten(`${lines.join('\n')}\n\n(${body.length} bytes of body)`)
}

/**
 * Returns the evidence of a finding.
 *
 * @param {string} [command] if one request does not show the failure
 * @returns {{ evidence?: Evidence }}
 */
export function getEvidence (command) {
  const { last } = exchanges.getStore() ?? {}
  if (command !== undefined) return { evidence: { request: null, response: null, ...last, command } }
  return last ? { evidence: { ...last } } : {}
}

/** @param {string} text */
const shorten = text => text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text

/**
 * Returns a curl command that sends exactly this path.
 *
 * @param {Sent} request
 */
export const curlCommand = ({ method = 'GET', path, headers = {}, body }) => [
  'curl -sS -i --max-time 5',
  ...method === 'GET' ? [] : [`-X ${method}`],
  ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
  ...body === undefined ? [] : [`--data-binary ${quote(body)}`],
  `--request-target ${quote(path)} "$URL"`
].join(' ')

/** Returns a command that runs a script under Node. @param {string} script */
export const nodeCommand = script => `node -e ${quote(script)}`

/** Returns a command that sends bytes and prints the response. @param {string} bytes */
const rawCommand = bytes => nodeCommand('const u=new URL(process.env.URL);' +
  `const s=net.connect(u.port||80,u.hostname);s.write(${JSON.stringify(bytes)},"latin1");` +
  's.setTimeout(3000,()=>s.destroy()).pipe(process.stdout)')

/**
 * Returns a command that counts the open files of the process $PID before and after 40 requests.
 *
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string> }} options
 * @param {string} end script that ends the response `m`, and then calls `r`
 */
export const leakCommand = (path, options, end) => nodeCommand(
  'const n=()=>fs.readdirSync("/proc/"+process.env.PID+"/fd").length,a=n();(async()=>{for(let i=0;i<40;i++)' +
  `await new Promise(r=>http.request(process.env.URL+"${path}",${JSON.stringify({ agent: false, ...options })},` +
  `m=>{${end}}).on("error",r).end());` +
  'setTimeout(()=>console.log("open files: "+a+" before, "+n()+" after"),1000)})()')

/** @type {(saw: string, ms?: number) => Finding} */
export const pass = (saw, ms) => ({ outcome: 'pass', saw, ...(ms !== undefined && { ms }) })
/** command: if the last request does not show the failure. @type {(saw: string, command?: string) => Finding} */
export const fail = (saw, command) => ({ outcome: 'fail', saw, ...getEvidence(command) })
/** @type {(saw: string, ms?: number, command?: string) => Finding} */
export const differs = (saw, ms, command) => ({
  outcome: 'differs-by-design', saw, ...(ms !== undefined && { ms }), ...command !== undefined && getEvidence(command)
})
/** @type {(saw: string) => Finding} */
export const untested = saw => ({ outcome: 'untested', saw })

const RANK = { fail: 3, 'differs-by-design': 2, untested: 1, pass: 0 }

/**
 * Returns the worst of several findings.
 *
 * @param {Finding[]} findings at least one
 */
export const worst = findings => findings.reduce((a, b) => RANK[b.outcome] > RANK[a.outcome] ? b : a)

/**
 * @param {string} name
 * @param {string} title
 * @param {string | null} rfc
 * @param {Probe['run']} run
 * @returns {Probe}
 */
export const probe = (name, title, rfc, run) => ({ name, title, rfc, safety: false, run })

/** Creates a probe of behaviour without which a server is not recommended. @type {typeof probe} */
export const safetyProbe = (...args) => ({ ...probe(...args), safety: true })

/**
 * Judges items one after the other until one fails, and returns the worst finding.
 *
 * @template Item
 * @param {Item[]} items at least one
 * @param {(item: Item) => Promise<Finding>} judge
 */
export async function findWorst (items, judge) {
  const findings = []
  for (const item of items) {
    findings.push(await judge(item))
    if (findings[findings.length - 1].outcome === 'fail') break
  }
  return worst(findings)
}

/**
 * Creates a probe of behaviour that RFC 9110 requires.
 *
 * @param {string} name
 * @param {string} title
 * @param {string} section
 * @param {Probe['run']} run
 * @returns {Probe}
 */
export const rfc9110 = (name, title, section, run) => probe(name, title, `RFC 9110, ${section}`, run)
