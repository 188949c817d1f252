// Is the configuration of the project as good as that of the kit?
import { SIMPLEST, decided, metricText, ratioText, rule } from '../advice.js'
import { YOURS, hasProxy } from '../../../plan/changed-spec.js'
import { isNumber } from '../../../shared/format.js'

/** @import { AdviceContrast, Rule } from '../../../types.js' */

/** Returns a baseline as a noun. @param {string} spec */
const toNoun = spec => spec === SIMPLEST ? 'the app alone' : spec

/** Returns whether one interval is below the other. @type {(a: AdviceContrast, b: AdviceContrast) => boolean} */
const isBelow = (a, b) => a.verdict !== 'invalid' && b.verdict !== 'invalid' && a.high < b.low

export default /** @satisfies {Rule} */ ({
  about: { title: 'your configuration', question: 'What does the configuration of the project cost?' },
  order: 90,
  applies: ({ own }) => Boolean(own?.config),

  needs: ({ chosen, contrasts }) => contrasts.some(({ arm }) => arm === YOURS) ? [] : [chosen, YOURS],

  decide ({ chosen, contrasts }) {
    const action = `replace your configuration of nginx by ${hasProxy(chosen)
      ? 'that of the kit'
      : 'that of hopbench config, if nginx stays'}`
    const own = contrasts.find(({ arm }) => arm === YOURS) ?? null
    const kit = contrasts.find(({ arm, run }) => arm !== YOURS && arm.startsWith('nginx') && run === own?.run)
    if (own === null || own.verdict === 'invalid' || !kit || kit.verdict === 'invalid') {
      return { ...rule(own, action, 'the app alone'), changes: 'A valid measurement of both.' }
    }
    const isMeasured = [own, kit].every(({ low, high }) => isNumber(low) && isNumber(high))
    const kind = !isMeasured ? 'open' : isBelow(own, kit) ? 'do' : isBelow(kit, own) ? 'do-not' : 'no-matter'
    return decided(kind, action, `as you have it, it has ${ratioText(own, toNoun(own.baseline))}, ${kit.arm} ${
      metricText(kit)}`, {
      contrast: own,
      changes: 'Other requests. hopbench run shows why, with the line; hopbench check tries its behaviour.'
    })
  }
})
