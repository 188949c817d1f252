/** Files that proxies serve with the default site of Debian's package, and with the recommended configuration. */
import t from '../support/tap.js'
import { makeTempDir } from '../../bench/machine/files/temp.js'
import { findProxies } from '../../bench/measure/find-programs.js'
import { createTestedChain } from '../../bench/features/check/chain.js'
import { chainsOf, loadProbes, runProbes } from '../../bench/features/check/study.js'
import { makeSite } from '../../bench/features/check/site.js'
import { skipWithout } from '../support/needs.js'
import { tempFolder } from '../support/temp.js'

const PROXIES = ['nginx', 'apache', 'caddy']
const temp = tempFolder(t)
const probes = (await loadProbes()).filter(({ name }) => name === 'dotfiles')
const chains = await chainsOf(['files'], { bare: false })
let folders = 0

for (const proxy of PROXIES) {
  t.test(`${proxy} serves hidden files as shipped, and not as recommended`, { skip: skipWithout(proxy) }, async t => {
    for (const [form, expected] of Object.entries({ 'files+shipped': 'fail', files: 'pass' })) {
      const arm = chains.get(form)?.find(({ topology }) => topology.proxy?.name === proxy)
      if (!arm) throw new Error(`${form} has no chain`)
      const next = () => folders++
      const options = { temp, cwd: temp, proxies: await findProxies([arm]), next }
      const site = makeSite(makeTempDir(temp, `site${next()}`))
      const [{ outcome }] = await runProbes(createTestedChain(arm, site, options), probes)
      t.equal(outcome, expected, arm.spec)
    }
  })
}
