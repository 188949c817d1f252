/** Program in the room of an arm: supplies what a configuration needs, so that its proxy can start. */
import { copyFileSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../machine/files/make-folder.js'
import { readJson, readText } from '../../machine/files/system-files.js'
import { SITE_CERTIFICATE } from '../../topology/describe/describe.js'
import { findAll, getApps, getPasses, getValue, readTree, toAbsolute } from './model.js'
import { ARM, LANE } from './room.js'
import { supply, writeHosts } from './supply.js'

/** @import { RoomRequest } from './types.js' */

/** Certificate that supply() makes. */
const MADE = '/tmp/certificates/ecdsa-p256.crt'

/** @type {RoomRequest} */
const request = readJson(join(LANE, 'request.json'))
const tree = readTree(request.main, new Map(request.files.map(path => [path, readText(path)])))
const getPaths = (/** @type {string[]} */ names) => findAll(tree, names)
  .map(({ directive }) => getValue(directive)).filter(path => path && !/[$:]/.test(path)).map(toAbsolute)

/**
 * Makes a link in place of a file.
 * @param {string} path
 * @param {string} target in the folder of the arm
 */
function link (path, target) {
  makeFolder(dirname(path))
  rmSync(path, { force: true })
  symlinkSync(join(ARM, target), path)
}

// Clients of the load trust one certificate, also where the files have another one.
for (const path of getPaths(['ssl_certificate', 'ssl_certificate_key'])) rmSync(path, { force: true })
const logs = getPaths(['error_log']).filter(path => !path.startsWith('/dev/') && !path.endsWith('/stderr'))
for (const path of new Set(['/var/log/nginx/error.log', ...logs])) link(path, 'error.log')
for (const { path } of getPasses(tree).flatMap(pass => getApps(tree, pass))) if (path) link(path, 'app.sock')
const { hosts, rejected } = await supply(request)
if (existsSync(MADE)) copyFileSync(MADE, join(ARM, SITE_CERTIFICATE))
// All names lead to the app, which listens in this network.
writeHosts(new Map([...hosts.keys()].map(name => [name, '127.0.0.1'])))
const resolvers = findAll(tree, 'resolver').map(({ directive }) => getValue(directive))
if (resolvers.length > 0) writeFileSync(join(ARM, 'resolvers'), resolvers.join(' '))
if (rejected) process.stderr.write(`${rejected.why}\n`)
process.exit(rejected ? 1 : 0)
