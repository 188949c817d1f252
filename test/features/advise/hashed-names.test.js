/** Tests which names have a hash of their content, by the patterns of nginx. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { PROJECT } from '../../../bench/plan/plugins.js'
import { hasHashedName } from '../../../bench/features/advise/hashed-names.js'

const FOR_GOOD = 'public, max-age=31536000, immutable'
/** Patterns of the map in nginx's snippet, with their values. */
const rules = [...readFileSync(join(PROJECT, 'nginx/snippets/cache-control.conf'), 'utf8')
  .matchAll(/^\s*"~(.*?)" "?(.*?)"?;$/gm)]

/** @param {string} path */
const isKeptByNginx = path => rules.find(([, pattern]) => new RegExp(pattern).test(path))?.[2] === FOR_GOOD

/** Paths by whether their names have a hash. @type {Record<string, boolean>} */
const PATHS = {
  '/assets/app.3f2a91bc.js': true,
  '/static/app-3f2a91bc.js.map': true,
  '/assets/index-BxGz3s2_.js': true,
  '/app/assets/index-BxGz3s2_.css': true,
  '/static/index-BxGz3s2_.css': false,
  '/assets/index.html': false,
  '/assets/post-2a4b6c8d.html': false,
  '/assets/logo.png': false,
  '/assets/jquery-3.7.1.min.js': false,
  '/assets/report-20240131.pdf': false,
  '/assets/trip-IMG_1234.jpg': false,
  '/assets/chapter-01-introduction.css': false,
  '/assets/my-component2.js': false
}

t.test('recognises the names that nginx lets browsers keep for a year', async t => {
  t.equal(rules.length, 3)
  for (const [path, isHashed] of Object.entries(PATHS)) {
    t.equal(hasHashedName(path), isHashed, path)
    t.equal(isKeptByNginx(path), isHashed, `nginx: ${path}`)
  }
})
