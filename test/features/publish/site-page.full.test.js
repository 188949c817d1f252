/** The site of all reference runs. Sites of few runs: test/features/publish/site.test.js. */
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { writeSite } from '../../../bench/features/publish/site.js'
import { REFERENCE_DIR } from '../../../bench/store/store.js'

const MAX_BYTES = 2e6

/** Reads all files below a folder. @param {string} dir */
const readAll = dir => new Map(readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()
  .filter(name => statSync(join(dir, name)).isFile())
  .map(name => [name, readFileSync(join(dir, name), 'utf8')]))

t.test('the site of all reference runs is smaller than 2 MB, and every link in it leads to a page', async t => {
  const dir = join(t.testdir({}), 'site')
  const { runs, bytes, skipped } = await writeSite(REFERENCE_DIR, dir)
  const files = readAll(dir)
  const servers = [...files.keys()].filter(name => name.startsWith('servers/'))
  t.ok(servers.length > 30)
  t.equal(files.size, runs + servers.length + 2)
  t.strictSame(skipped, [])
  t.equal([...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0), bytes)
  t.ok(bytes < MAX_BYTES, `${bytes} bytes`)
  const home = files.get('index.html') ?? ''
  t.notMatch(home, 'class="wide"', 'one drawing of each chart')
  const links = [...home.matchAll(/href="((?:runs|servers)\/[^"]+)"/g)].map(([, link]) => link)
  t.ok(links.length > runs)
  t.strictSame(links.filter(link => !files.has(link)), [])
  for (const [name, text] of files) {
    t.notMatch(text, /<(?:link|script|img|iframe)[^>]* (?:href|src)="(?!data:|(?:\.\.\/)?site\.css")/,
      `${name} loads only the style of the site`)
  }
})
