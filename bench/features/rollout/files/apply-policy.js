/** Applies a policy for hashed files around a rollout: which builds' files are sent after it, and by which program. */
import { join } from 'node:path'
import { toFilesView } from '../../../topology/describe/content-view.js'
import { PAGE, toHashPatterns } from '../../../shared/http/hashed-names.js'
import { fillAttic } from './attic.js'
import { findHashedFiles } from './hashed-files.js'
import { keepFiles } from './kept.js'

/** @import { BuiltFolder } from '../../../types.js' */
/** @import { Build, FilePolicy } from '../types.js' */

/** Cache of the emulated CDN, above the size of the files of a page. */
const CDN = 'levels=1:2 keys_zone=cdn:10m max_size=1g inactive=1d use_temp_path=off'
/** Directives of a proxied request for a file. The upstream is that of the recommended configuration. */
const PROXIED = ['proxy_pass http://app;', 'proxy_http_version 1.1;', 'proxy_set_header Connection "";',
  'proxy_set_header Host $http_host;']

/**
 * @param {object} rollout
 * @param {FilePolicy} rollout.policy
 * @param {Build} rollout.old
 * @param {Build} rollout.new
 * @param {string} rollout.dir folder of the stage. An attic in it is kept from one rollout to the next.
 * @returns {Promise<{ new: Build, nginx: string, http: string }>} new: perhaps a copy; nginx: locations for the server
 *   block; http: directives for the http block
 * @throws {Error} bad-option; a system error
 */
export async function applyPolicy ({ policy, old, new: next, dir }) {
  const unchanged = { new: next, nginx: '', http: '' }
  switch (policy) {
    case 'new': return unchanged
    case 'kept': return { ...unchanged, new: { ...next, folder: await keepFiles({ old, next, dir }) } }
    case 'attic': {
      const { folder, built } = fillAttic({ old, dir })
      return { ...unchanged, nginx: toAtticLocations(folder, built) }
    }
    case 'cdn': {
      const built = [old, next].flatMap(({ folder }) => findHashedFiles(folder).built)
      const body = [...PROXIED, 'proxy_cache cdn;', 'proxy_cache_key $request_uri;']
      return {
        ...unchanged,
        http: `proxy_cache_path ${quote(join(dir, 'cdn'))} ${CDN};\n`,
        nginx: toLocation(`~ ${toPattern(built)}`, body)
      }
    }
  }
}

/**
 * Returns locations that send files of the attic, and pass other requests for such names on to the app. The attic is
 * first, because an app may send a page in place of a missing file.
 * @param {string} folder
 * @param {BuiltFolder[]} built
 */
function toAtticLocations (folder, built) {
  const types = toFilesView({}).mediaTypes.map(({ type, endings }) => `${type} ${endings.join(' ')};`).join(' ')
  return toLocation(`~ ${toPattern(built)}`, [
    `root ${quote(folder)};`, 'disable_symlinks on;', `types { ${types} }`,
    'add_header Cache-Control "public, max-age=31536000, immutable";', 'try_files $uri @hashed;'
  ]) + toLocation('@hashed', PROXIED)
}

/**
 * @param {string} name
 * @param {string[]} body
 */
const toLocation = (name, body) => `location ${name} {\n${body.map(line => `    ${line}\n`).join('')}}\n`

/**
 * Returns a pattern for names with a hash, without pages and hidden files.
 * @param {BuiltFolder[]} built
 */
const toPattern = built => `"^(?!.*(?:/\\.|${PAGE}))(?=.*(?:${[...new Set(toHashPatterns(built))].join('|')}))"`

/** Quotes a path for nginx. @param {string} path */
const quote = path => `"${path.replace(/["\\]/g, '\\$&')}"`
