/** Places at which typed values and named files are read: experiments, offerings, logs, URLs, names of runs. */
import { join } from 'node:path'
import { orderFrom } from '../../../bench/features/serve/app.js'
import { mixOfFile, sequenceOf } from '../../../bench/request/user-paths.js'
import { requestFrom } from '../../../bench/request/user-request.js'
import { planFrom } from '../../../bench/request/request.js'
import { listText } from '../../../bench/features/size/prices/offering-words.js'
import { isOld, readOfferings } from '../../../bench/features/size/prices/offerings.js'
import { readProfile } from '../../../bench/features/size/capacity/profile.js'
import { storedRun } from '../../../bench/run/stored-run.js'
import { reopenSuite } from '../../../bench/store/store.js'
import { urlFrom } from '../../../bench/request/urls.js'
import { ACCESS_LOG, experiment, HEADERS, offerings, ORDER, RUN_NAMES, SIMPLE_RUN, suite, URLS } from './examples.js'
import { hostileText, mutate, shorten, spoil, toJson } from './mutate.js'

/** @import { Place } from './stored-places.js' */

/** Options that an order of the live page may become. */
const KNOWN_OPTION = /^(quick|budget|detect|precision|connections|engine|path|seed)$/

/**
 * Makes a place that reads a JSON file.
 * @param {number} share
 * @param {unknown} valid
 * @param {(file: string, sandbox: import('./sandbox.js').Sandbox) => Promise<import('./checks.js').Output>} readFile
 * @returns {Place}
 */
const ofFile = (share, valid, readFile) => ({
  share,
  make (random, sandbox) {
    const { value, mutation } = mutate(random, valid)
    const text = random.chance(0.1) ? spoil(random, toJson(value)) : toJson(value)
    return {
      mutation,
      read () {
        const dir = join(sandbox.project, 'in')
        sandbox.write(dir, { 'input.json': text })
        return readFile(join(dir, 'input.json'), sandbox)
      }
    }
  }
})

/** @type {Record<string, Place>} */
export const typedPlaces = {
  'experiments in files': ofFile(6, experiment, async file => {
    const { plan } = await planFrom([file], { lab: true, seed: 1 })
    const texts = JSON.stringify(plan.arms.map(({ name, load }) => [name, load.path, load.headers]))
    const controls = /\\[nrbtu]/.exec(texts)
    if (controls) throw new Error(`the plan contains a control character: ${controls[0]}`)
    return {}
  }),
  'files of offerings': ofFile(4, offerings, async file => {
    const today = '2026-11-22'
    const list = readOfferings(file)
    return { printed: [listText(list, { columns: 80, isOld: offering => isOld(offering, today) })] }
  }),
  'load profiles': ofFile(1, [10, 20, 40, 20], async file => {
    const { shares } = readProfile(file)
    if (!shares.every(share => share >= 0 && share <= 1)) throw new Error(`shares beyond 1: ${shorten(shares)}`)
    return {}
  }),
  'access logs': {
    share: 6,
    make (random, sandbox) {
      let text = ACCESS_LOG
      for (let times = 1 + random.below(4); times > 0; times--) text = spoil(random, text)
      if (random.chance(0.02) && text.length < 2000) text = text.repeat(5000)
      return {
        mutation: shorten(text),
        async read () {
          const dir = join(sandbox.project, 'in')
          sandbox.write(dir, { 'access.log': text })
          const { mix } = mixOfFile(join(dir, 'access.log'), join(sandbox.project, 'public'))
          const sequence = sequenceOf(mix, 1)
          if (sequence.length === 0 || sequence.length > 300) throw new Error(`${sequence.length} paths`)
          if (sequence.some(path => /[\0-\x20\x7f]/.test(path))) throw new Error(`unsafe path in ${shorten(sequence)}`)
          return {}
        }
      }
    }
  },
  'URLs and headers': {
    share: 5,
    make (random) {
      const url = spoil(random, random.pick(URLS))
      const header = [spoil(random, random.pick(HEADERS)), random.chance(0.2) ? hostileText(random) : 'X-A: b']
      return {
        mutation: `${shorten(url)} ${shorten(header.join(' | '))}`,
        async read () {
          const { name, origin, path } = urlFrom(url)
          const { headers = {} } = requestFrom({ header })
          // eslint-disable-next-line no-control-regex
          const isUnsafe = /[\0-\x1f\x7f]/.test([name, origin, path, ...Object.entries(headers).flat()].join(''))
          if (isUnsafe) throw new Error('a control character is part of the request')
          // Reads further only URLs with port 1, on which nothing listens, and without a name to look up.
          if (!/^https?:\/\/(127\.0\.0\.1|\[::1\]):1$/.test(origin)) return {}
          const { plan } = await planFrom([url], { lab: true, seed: 1, header })
          return { printed: [plan.experiment] }
        }
      }
    }
  },
  'orders of the live page': {
    share: 6,
    make (random) {
      const { value, mutation } = mutate(random, ORDER)
      const body = JSON.parse(toJson(value))
      return {
        mutation,
        async read () {
          const { words, options } = orderFrom(body)
          const foreign = words.find(spec => /^-|\.js|:\/\/|[\s;$`]/.test(spec))
          if (foreign !== undefined) throw new Error(`the spec ${shorten(foreign)} is started`)
          const odd = Object.keys(options).find(option => !KNOWN_OPTION.test(option))
          if (odd !== undefined) throw new Error(`the option ${shorten(odd)} is passed`)
          return {}
        }
      }
    }
  },
  'names of runs': {
    share: 4,
    make (random, sandbox) {
      const valid = random.pick(RUN_NAMES)
      const hostile = random.chance(0.3) ? hostileText(random) : spoil(random, valid)
      const name = random.chance(0.1) ? valid : hostile
      const find = random.pick([storedRun, reopenSuite])
      return {
        mutation: `${find.name}: ${shorten(name)}`,
        async read () {
          sandbox.write(sandbox.run, { ...SIMPLE_RUN, 'suite.json': JSON.stringify(suite) })
          await find(name, sandbox.results)
          return {}
        }
      }
    }
  }
}
