import t from '../../support/tap.js'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../../../bench/errors.js'
import { onPath } from '../../../bench/machine/setup/path.js'
import { run } from '../../../bench/machine/process.js'
import { canFetch } from '../../../bench/machine/setup/apt.js'
import { findTool, toolVersion } from '../../../bench/machine/tools.js'
import { tempFolder } from '../../support/temp.js'

/** @import { Tool } from '../../../bench/machine/types.js' */
/** @import { Test } from 'tap' */

const nginx = {
  program: 'nginx',
  packages: { debian: ['nginx'] },
  version: { args: ['-v'], parse: version(/nginx\/([\d.]+)/) }
}
const wrk = {
  program: 'wrk',
  packages: { debian: ['wrk'] },
  version: { args: ['-v'], parse: version(/wrk \S*?([\d.]+)/) }
}

/**
 * @param {RegExp} pattern
 * @returns {(output: string) => string | null}
 */
function version (pattern) {
  return output => pattern.exec(output)?.[1] ?? null
}

/** Messages of apt when the package mirrors cannot be reached. */
const OFFLINE = /resolv|Could not connect|Cannot initiate the connection|timed out|unreachable/i

const spec = [nginx, wrk].find(({ program }) => !onPath(program, process.env))
const skip = !canFetch() ? 'there is no apt-get' : !spec ? 'nginx and wrk are both installed' : false

/** Modification times of the files that apt and dpkg change when they install a package on the system. */
const traces = () =>
  ['/var/lib/dpkg/status', '/var/lib/apt/lists', '/var/lib/apt/extended_states', '/var/cache/apt',
    '/var/cache/apt/archives', '/var/log/apt', '/var/log/dpkg.log']
    .filter(path => existsSync(path)).map(path => `${path} ${statSync(path).mtimeMs}`)

t.test('fetches a program that runs, without a change to the system', { skip }, async t => {
  const dir = tempFolder(t)
  const env = { ...process.env, HOPBENCH_CACHE: join(dir, 'cäche mit Leerzeichen') }
  const { program, packages, version } = /** @type {typeof nginx} */ (spec)
  const before = traces()
  let tool
  try {
    tool = await findTool({ program, packages }, { env, printProgress: () => {} })
  } catch (error) {
    if (error instanceof HopbenchError && OFFLINE.test(error.details.output ?? '')) {
      return t.pass('fetched', { skip: 'there is no way to the package mirrors' })
    }
    throw error
  }
  t.same(traces(), before)
  t.equal(tool.from, 'cache')
  t.match(await toolVersion(tool.path, version, tool.env), /^\d+\.\d+/)

  t.same(await findTool({ program, packages }, { env, printProgress: line => t.fail(line) }), tool,
    'found in the cache')

  if (program === 'nginx') await checkNginx(t, tool, dir)
})

/**
 * Asserts that nginx works without /etc/nginx and /var/log/nginx, for which it was compiled.
 * @param {Test} t
 * @param {Tool} tool
 * @param {string} dir
 */
async function checkNginx (t, tool, dir) {
  const prefix = join(dir, 'prefix')
  mkdirSync(prefix)
  writeFileSync(join(prefix, 'nginx.conf'), `pid nginx.pid; events {} http { access_log off; ${
    ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${name};`).join(' ')
  } server { listen unix:${dir}/s; } }`)
  const checked = await run([tool.path, '-p', prefix, '-c', 'nginx.conf', '-e', 'stderr', '-t'], { env: tool.env })
  t.equal(checked.exit, 0, checked.stderr)
}
