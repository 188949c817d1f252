import t from 'tap'
import { loadPlugin, pluginNames } from '../../bench/plugins.js'
import { parse, print } from '../../bench/topology/word.js'
import { resolveOptions } from '../../bench/topology/options.js'

const proxies = pluginNames('proxy')
const servers = pluginNames('server')

for (const name of pluginNames('experiment')) {
  t.test(`experiment ${name}`, async t => {
    /** @type {{ default: import('../../bench/types.d.ts').Experiment }} */
    const { default: experiment } = await loadPlugin('experiment', name)

    for (const [arm, entry] of Object.entries(experiment.arms)) {
      const word = typeof entry === 'string' ? entry : entry.topology
      const topology = parse(word)
      t.equal(print(topology), word, `${arm} is written in its canonical form`)
      if (topology.server) t.ok(servers.includes(topology.server.name), `${arm} names a server that is there`)
      if (topology.proxy) {
        t.ok(proxies.includes(topology.proxy.name), `${arm} names a proxy that is there`)
        const { default: proxy } = await loadPlugin('proxy', topology.proxy.name)
        resolveOptions(topology.proxy.name, proxy.about.options, topology.proxy.options)
      }
    }

    const ids = (experiment.claims ?? []).map(({ id }) => id)
    t.equal(new Set(ids).size, ids.length, 'no claim has the id of another')
    for (const { id, source, statement, published } of experiment.claims ?? []) {
      t.match(source, { title: String, author: String, year: Number, machine: String }, `${id} names its source and machine`)
      t.ok(statement.endsWith('.'), `${id} is a sentence`)
      t.ok(published, `${id} says what was published`)
    }
  })
}
